# The version is the first line, then what was built in.
$ cairn --version | head -n 1
|~ cairn [0-9]+\.[0-9]+\.[0-9]+.*
