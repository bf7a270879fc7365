/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and folders that do not have their final name yet.
 *
 * An output is written under a temporary name in the folder of its target and is renamed when it
 * is complete. The name is certainly new (O_EXCL, mkdir), so that two writers of one target use
 * different files, and no other file is touched. The last rename replaces the target as a whole.
 *
 * The process lists all of them, so that the handler of a signal can remove them
 * (cairn_remove_temporaries). A handler or writer that changes an entry first takes it, by an
 * atomic exchange of its state. A writer holds an entry only for a system call or two, with
 * signals blocked, so that the handler never waits for the thread that it interrupted. Entries
 * are reused and never freed, because a handler may be reading the list.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum state {
	TEMP_FREE,
	TEMP_TAKEN, /* a writer is about to make, rename or remove it */
	TEMP_THERE, /* it lies there */
	TEMP_GONE   /* a handler has removed it; the process is ending */
};

enum { NAME_LONGEST = 255, TRIES = 100, RANDOM_CHARS = 8, WAITS = 2000 };

struct io_temp {
	struct io_temp *next; /* of the list */
	_Atomic int state;
	pid_t owner; /* a child process of ours must not remove what it did not make */
	bool folder;
	char *path;           /* where it lies */
	char *target;         /* held back: the name it will get; else NULL */
	struct io_temp *held; /* the one held back before it */
};

static _Atomic(struct io_temp *) list;
static _Atomic bool ending;

/* ---- entries ---- */

static struct io_temp *entry_new(void)
{
	for (struct io_temp *temp = atomic_load(&list); temp; temp = temp->next) {
		int was = TEMP_FREE;
		if (atomic_compare_exchange_strong(&temp->state, &was, TEMP_TAKEN))
			return temp;
	}
	struct io_temp *temp = calloc(1, sizeof *temp);
	if (!temp)
		return NULL;
	atomic_store(&temp->state, TEMP_TAKEN);
	temp->next = atomic_load(&list);
	while (!atomic_compare_exchange_weak(&list, &temp->next, temp))
		;
	return temp;
}

static void entry_free(struct io_temp *temp)
{
	free(temp->path);
	free(temp->target);
	temp->path = temp->target = NULL;
	atomic_store(&temp->state, TEMP_FREE);
}

static void signals_block(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Take an entry that is in place; false: a handler was faster. */
static bool temporary_take(struct io_temp *temp)
{
	int was = TEMP_THERE;
	return atomic_compare_exchange_strong(&temp->state, &was, TEMP_TAKEN);
}

/* ---- removing, as a handler may ---- */

#ifdef SYS_getdents64
struct listed { /* what the kernel calls linux_dirent64 */
	uint64_t inode;
	int64_t next;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* opendir may not be called in a handler. A folder of ours holds plain files only. */
static void remove_folder(const char *path)
{
	_Alignas(struct listed) char buf[2048];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	long n = 0;
	for (int round = 0; fd >= 0 && round < WAITS; round++) {
		lseek(fd, 0, SEEK_SET); /* entries may be skipped while others go */
		size_t gone = 0;
		n = syscall(SYS_getdents64, fd, buf, sizeof buf);
		for (long at = 0; at < n;) {
			const struct listed *listed = (const void *)(buf + at);
			gone += unlinkat(fd, listed->name, 0) == 0;
			at += listed->length;
		}
		if (n <= 0 || !gone)
			break;
	}
	if (fd >= 0)
		close(fd);
	rmdir(path);
}
#else
static void remove_folder(const char *path)
{
	rmdir(path);
}
#endif

static void remove_now(const struct io_temp *temp)
{
	if (temp->folder)
		remove_folder(temp->path);
	else
		unlink(temp->path);
}

void cairn_remove_temporaries(void)
{
	static const struct timespec millisecond = {.tv_nsec = 1000000};
	int kept = errno, waits = WAITS;
	pid_t self = getpid();
	atomic_store(&ending, true);
	for (struct io_temp *temp = atomic_load(&list); temp; temp = temp->next) {
		int was;
		while ((was = atomic_load(&temp->state)) == TEMP_TAKEN && waits-- > 0)
			nanosleep(&millisecond, NULL);
		if (was == TEMP_THERE && temp->owner == self &&
		    atomic_compare_exchange_strong(&temp->state, &was, TEMP_GONE))
			remove_now(temp);
	}
	errno = kept;
}

/* ---- making ---- */

/* "/a/b" of "/a/b/name", "." of "name"; returns its length with the slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

static void random_name(char *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	static _Atomic uint64_t count;
	uint64_t x = 0;
	if (getrandom(&x, sizeof x, GRND_NONBLOCK) != sizeof x) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		x = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 44;
	}
	x += atomic_fetch_add(&count, 1) * UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < RANDOM_CHARS; i++, x >>= 5)
		out[i] = letters[x & 31];
}

/* The target with a tail behind as much of its name as fits (`longest`; never half a character of
 * UTF-8). */
static char *with_tail(const char *target, size_t longest, const char *tail)
{
	size_t folder = folder_length(target), n = strlen(target + folder), more = strlen(tail);
	const char *name = target + folder;
	if (n + more > longest)
		for (n = longest - more; n && ((unsigned char)name[n] & 0xc0) == 0x80;)
			n--;
	char *path = malloc(folder + n + more + 1);
	if (path) {
		memcpy(path, target, folder + n);
		memcpy(path + folder + n, tail, more + 1);
	}
	return path;
}

/* NAME.xxxxxxxx.tmp beside the target */
static char *temp_name(const char *target, size_t longest)
{
	static const char tail[] = ".12345678.tmp";
	char *path = with_tail(target, longest, tail);
	if (path)
		random_name(path + strlen(path) - strlen(tail) + 1);
	return path;
}

/* One try; the file's descriptor, 0 for a folder, or -1. */
static int make_once(struct io_temp *temp)
{
	if (temp->folder)
		return mkdir(temp->path, 0777);
	return open(temp->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0666);
}

static int temporary_make(struct cairn *cairn, const char *target, struct io_temp *temp, int *fd)
{
	size_t longest = NAME_LONGEST;
	for (int i = 0; i < TRIES; i++) {
		free(temp->path);
		temp->path = temp_name(target, longest);
		if (!temp->path)
			return base_fail(cairn, CAIRN_E_NOMEM, "out of memory");
		*fd = make_once(temp);
		if (*fd >= 0)
			return 0;
		if (errno == ENAMETOOLONG && longest > 64)
			longest = 64; /* of file systems with shorter names */
		else if (errno != EEXIST && errno != EINTR)
			break;
	}
	return base_fail_errno(cairn, errno, "%s", target);
}

static int temp_new(struct cairn *cairn, const char *target, bool folder, struct io_temp **out,
                    int *fd)
{
	sigset_t before;
	int rc = 0;
	signals_block(&before);
	struct io_temp *temp = entry_new();
	if (!temp) {
		rc = base_fail(cairn, CAIRN_E_NOMEM, "out of memory");
	} else {
		temp->folder = folder;
		temp->owner = getpid();
		temp->held = NULL;
		/* A handler that has begun has either looked at this entry or waits for it. */
		rc = atomic_load(&ending)
		         ? base_fail(cairn, CAIRN_E_CANCELLED, "%s: the process is ending", target)
		         : temporary_make(cairn, target, temp, fd);
		if (rc < 0)
			entry_free(temp);
		else
			atomic_store(&temp->state, TEMP_THERE);
	}
	signals_restore(&before);
	if (rc >= 0)
		*out = temp;
	return rc;
}

int io_temp_file(struct cairn *cairn, const char *target, struct io_temp **out, int *fd)
{
	return temp_new(cairn, target, false, out, fd);
}

int io_temp_folder(struct cairn *cairn, const char *target, struct io_temp **out)
{
	int none;
	return temp_new(cairn, target, true, out, &none);
}

/* Take the next bytes out of the file. */
static int take_out(struct cairn *cairn, int fd, uint64_t at, uint64_t n, struct base_buf *out)
{
	int rc = base_buf_reserve(out, (size_t)n);
	while (rc >= 0 && out->len < n) {
		ssize_t got = pread(fd, out->data + out->len, (size_t)n - out->len, (off_t)(at + out->len));
		if (got > 0)
			out->len += (size_t)got;
		else if (got == 0 || errno != EINTR)
			return base_fail_errno(cairn, got < 0 ? errno : EIO, "a temporary file");
	}
	/* Where the file system cannot, there is less room. */
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n);
	return rc;
}

int io_pour(struct cairn *cairn, struct base_buf *first, int fd, uint64_t n, size_t piece,
            io_give_fn *give, void *user)
{
	struct base_buf next;
	uint64_t at = 0;
	int rc = 0;
	piece = first->len > piece ? first->len : piece;
	base_buf_init(&next, cairn);
	while (rc >= 0 && (first->len || at < n)) {
		uint64_t more = n - at < piece ? n - at : piece;
		next.len = 0;
		if (more)
			rc = take_out(cairn, fd, at, more, &next);
		at += more;
		if (rc >= 0 && first->len)
			rc = give(user, first->data, first->len);
		struct base_buf given = *first;
		*first = next;
		next = given;
	}
	first->len = 0;
	base_buf_free(&next);
	return rc;
}

const char *io_temp_path(const struct io_temp *temp)
{
	return temp->path;
}

/* ---- ending ---- */

void io_temp_remove(struct io_temp *temp)
{
	sigset_t before;
	if (!temp)
		return;
	signals_block(&before);
	if (temporary_take(temp)) {
		remove_now(temp);
		entry_free(temp);
	}
	signals_restore(&before);
}

/* Of an entry that is taken. */
static int rename_now(struct cairn *cairn, struct io_temp *temp, const char *target)
{
	if (rename(temp->path, target) == 0)
		return 0;
	int rc = base_fail_errno(cairn, errno, "%s", target);
	remove_now(temp);
	return rc;
}

static int hold_back(struct cairn *cairn, struct io_hold *hold, struct io_temp *temp,
                     const char *target)
{
	temp->target = strdup(target);
	if (!temp->target) {
		io_temp_remove(temp);
		return base_fail(cairn, CAIRN_E_NOMEM, "out of memory");
	}
	temp->held = hold->last;
	hold->last = temp;
	return 0;
}

int io_temp_commit(struct cairn *cairn, struct io_temp *temp, const char *target)
{
	struct io_hold *hold = *base_hold(cairn);
	sigset_t before;
	/* What lies in a folder that is not complete itself is held back with it. */
	if (hold && !io_temp_within(target))
		return hold_back(cairn, hold, temp, target);
	signals_block(&before);
	int rc = 0;
	if (!temporary_take(temp)) {
		rc = base_fail(cairn, CAIRN_E_CANCELLED, "%s: the process is ending", target);
	} else {
		rc = rename_now(cairn, temp, target);
		entry_free(temp);
	}
	signals_restore(&before);
	return rc;
}

bool io_temp_within(const char *path)
{
	size_t n = folder_length(path);
	for (const struct io_temp *temp = atomic_load(&list); temp && n; temp = temp->next)
		if (atomic_load(&temp->state) == TEMP_THERE && temp->folder &&
		    strlen(temp->path) == n - 1 && !memcmp(temp->path, path, n - 1))
			return true;
	return false;
}

/* ---- several outputs, all or none ---- */

void io_hold_begin(struct cairn *cairn, struct io_hold *hold)
{
	*hold = (struct io_hold){.outer = *base_hold(cairn)};
	*base_hold(cairn) = hold;
}

static struct io_temp *temporary_in_order(struct io_temp *last)
{
	struct io_temp *first = NULL;
	while (last) {
		struct io_temp *before = last->held;
		last->held = first;
		first = last;
		last = before;
	}
	return first;
}

/* One of several outputs that belong together could not get its name: none gets one. */
static void undo_renames(const struct io_temp *first, const struct io_temp *failed)
{
	for (const struct io_temp *temp = first; temp != failed; temp = temp->held)
		unlink(temp->target);
}

int io_hold_end(struct cairn *cairn, struct io_hold *hold, bool commit)
{
	sigset_t before;
	struct io_temp *first = temporary_in_order(hold->last), *next;
	struct io_hold *outer = *base_hold(cairn) = hold->outer;
	int rc = 0;
	hold->last = NULL;
	for (; outer && commit && first; first = next) {
		next = first->held;
		first->held = outer->last;
		outer->last = first;
	}
	signals_block(&before);
	bool all = true;
	for (struct io_temp *temp = first; temp; temp = temp->held)
		all &= temporary_take(temp);
	if (!all) /* what a handler has taken, it removes; it waits for the rest */
		rc = base_fail(cairn, CAIRN_E_CANCELLED, "the process is ending");
	for (struct io_temp *temp = first; temp; temp = temp->held) {
		if (atomic_load(&temp->state) != TEMP_TAKEN)
			continue;
		if (!commit || rc < 0)
			remove_now(temp);
		else if ((rc = rename_now(cairn, temp, temp->target)) < 0)
			undo_renames(first, temp);
	}
	for (struct io_temp *temp = first; temp; temp = next) {
		next = temp->held;
		if (atomic_load(&temp->state) == TEMP_TAKEN)
			entry_free(temp);
	}
	signals_restore(&before);
	return rc;
}

int cairn_outputs_begin(struct cairn *cairn)
{
	struct io_hold *hold = base_alloc(cairn, sizeof *hold);
	if (!hold)
		return CAIRN_E_NOMEM;
	io_hold_begin(cairn, hold);
	return 0;
}

int cairn_outputs_end(struct cairn *cairn, int keep)
{
	struct io_hold *hold = *base_hold(cairn);
	if (!hold)
		return base_fail(cairn, CAIRN_E_STATE, "cairn_outputs_begin was not called");
	int rc = io_hold_end(cairn, hold, keep);
	base_free(cairn, hold);
	return rc;
}

/* ---- what is kept of an output that failed ---- */

void io_keep_begin(struct cairn *cairn, struct io_keep *keep)
{
	*keep = (struct io_keep){0};
	*base_keep(cairn) = keep;
}

bool io_keeping(struct cairn *cairn)
{
	struct io_keep *keep = *base_keep(cairn);
	if (keep && cairn_error_status(cairn) == CAIRN_E_IO)
		keep->refused = true;
	return keep && keep->refused;
}

/* NAME.damaged, or NAME.damaged-2 … where that exists: no file is replaced. */
static char *damaged_name(const char *target)
{
	char tail[32] = ".damaged";
	struct stat st;
	for (int i = 2;; i++) {
		char *path = with_tail(target, NAME_LONGEST, tail);
		if (!path || lstat(path, &st) < 0)
			return path;
		free(path);
		if (i > TRIES)
			return NULL;
		snprintf(tail, sizeof tail, ".damaged-%d", i);
	}
}

void io_keep_or_remove(struct cairn *cairn, struct io_temp *temp, const char *target)
{
	struct io_keep *k = *base_keep(cairn);
	bool keep = temp && io_keeping(cairn), within = keep && io_temp_within(target);
	char *path = keep && !within ? damaged_name(target) : NULL;
	if (within) /* its folder is the output */
		io_temp_commit(cairn, temp, target);
	else if (!path)
		io_temp_remove(temp);
	if (!path)
		return;
	io_temp_remove(k->temp);
	free(k->path);
	k->temp = temp;
	k->path = path;
}

int io_keep_end(struct cairn *cairn, struct io_keep *keep, bool commit)
{
	int rc = 0;
	*base_keep(cairn) = NULL;
	if (keep->temp && commit)
		rc = io_temp_commit(cairn, keep->temp, keep->path);
	else
		io_temp_remove(keep->temp);
	free(keep->path);
	return rc;
}
