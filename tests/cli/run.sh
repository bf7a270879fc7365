#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh RUNNER FILE|FOLDER… : golden tests with this build's command. The folder
# of real traces is $CAIRN_TEST_DATA, else shared/data beside the repository.
runner=$1
shift
exec "$runner" -b "$CAIRN_BUILD" -p "$(dirname "$runner")" -e "$EXAMPLES" \
	-d "${CAIRN_TEST_DATA:-$CAIRN_SOURCE/../shared/data}" "$@"
