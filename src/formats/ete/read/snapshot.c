/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a snapshot: snapshot.ini names the devices and the trace, each device's file has its
 * registers and memory dumps, and trace.ini has the buffers and the sources of each.
 *
 * A missing memory dump or device file, a source that cannot be decoded, or a name that no device
 * has becomes a note, and everything else is read.
 */
#include "formats/ete/read/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/ete/read/ini.h"
#include "image/image.h"
#include "io/io.h"

enum { MAX_DEVICES = 1024, MAX_SESSIONS = 4096, ETMV4_DEVARCH = 0x47704a13 };

static const char *const reg_names[ETE_REGS] = {
	[ETE_TRCCONFIGR] = "TRCCONFIGR", [ETE_TRCTRACEIDR] = "TRCTRACEIDR",
	[ETE_TRCIDR0] = "TRCIDR0",       [ETE_TRCIDR1] = "TRCIDR1",
	[ETE_TRCIDR2] = "TRCIDR2",       [ETE_TRCIDR8] = "TRCIDR8",
	[ETE_TRCIDR9] = "TRCIDR9",       [ETE_TRCIDR10] = "TRCIDR10",
	[ETE_TRCIDR11] = "TRCIDR11",     [ETE_TRCIDR12] = "TRCIDR12",
	[ETE_TRCIDR13] = "TRCIDR13",     [ETE_TRCDEVARCH] = "TRCDEVARCH",
};

void ete_regs_default(struct ete_regs *regs)
{
	*regs = (struct ete_regs){0};
	regs->value[ETE_TRCIDR1] = 0x4100f403;
	regs->value[ETE_TRCDEVARCH] = 0x47705a13;
}

int ete_reg_find(const char *name, size_t n)
{
	for (int i = 0; i < ETE_REGS; i++)
		if (strlen(reg_names[i]) == n && !strncasecmp(reg_names[i], name, n))
			return i;
	return -1;
}

/* ---- cores ---- */

static enum isa_arm_level level_of_version(const char *text)
{
	unsigned major = 0, minor = 0;
	if (sscanf(text, "%2u.%2u", &major, &minor) < 1)
		return ISA_ARM_AA64;
	if (major < 8)
		return ISA_ARM_V7;
	if (major > 8)
		return ISA_ARM_AA64;
	return minor >= 3 ? ISA_ARM_V8_3 : ISA_ARM_V8;
}

enum isa_arm_level ete_core_level(const char *type)
{
	/* Cores older than pointer authentication. A core that is not listed has it, or may have it. */
	static const char *const v7[] = {"A5", "A7", "A8", "A9",  "A12", "A15", "A17", "R4", "R5",
	                                 "R7", "R8", "M0", "M0+", "M1",  "M3",  "M4",  "M7", NULL};
	static const char *const v8[] = {"A32",   "A34",   "A35", "A53", "A55", "A57",   "A65",
	                                 "A65AE", "A72",   "A73", "A75", "A76", "A76AE", "A77",
	                                 "A78",   "A78AE", "X1",  "M23", "M33", NULL};
	if (!strncasecmp(type, "ARMv", 4))
		return level_of_version(type + 4);
	if (strncasecmp(type, "Cortex-", 7) != 0)
		return ISA_ARM_AA64;
	for (size_t i = 0; v7[i]; i++)
		if (!strcasecmp(type + 7, v7[i]))
			return ISA_ARM_V7;
	for (size_t i = 0; v8[i]; i++)
		if (!strcasecmp(type + 7, v8[i]))
			return ISA_ARM_V8;
	return !strcasecmp(type + 7, "R52") ? ISA_ARM_V8_3 : ISA_ARM_AA64;
}

/* "ARMv7-M", "ARM-AA64-R", "Cortex-M33". */
char ete_core_profile(const char *type)
{
	bool cortex = !strncasecmp(type, "Cortex-", 7);
	const char *dash = strrchr(type, '-');
	char c = dash ? (char)(dash[1] & ~0x20) : 0;
	return (cortex || (c && !dash[2])) && (c == 'M' || c == 'R') ? c : 'A';
}

/* ---- small things ---- */

static int add_note(struct ete_snapshot *snapshot, bool lost, const char *fmt, va_list ap)
{
	char text[1024];
	vsnprintf(text, sizeof text, fmt, ap);
	char *copy = base_strdup(snapshot->cairn, text);
	struct ete_note *note =
		copy ? base_append(snapshot->cairn, &snapshot->notes, &snapshot->n_notes, sizeof *note)
			 : NULL;
	if (!note) {
		base_free(snapshot->cairn, copy);
		return CAIRN_E_NOMEM;
	}
	*note = (struct ete_note){copy, lost};
	return 0;
}

/* Something is missing. */
static int snapshot_note(struct ete_snapshot *snapshot, const char *fmt, ...) CAIRN_PRINTF(2, 3);
static int snapshot_note(struct ete_snapshot *snapshot, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = add_note(snapshot, true, fmt, ap);
	va_end(ap);
	return rc;
}

/* Note something odd, behind which nothing need be missing. */
static int remark(struct ete_snapshot *snapshot, const char *fmt, ...) CAIRN_PRINTF(2, 3);
static int remark(struct ete_snapshot *snapshot, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int rc = add_note(snapshot, false, fmt, ap);
	va_end(ap);
	return rc;
}

/* Do the parts of a name lead out of where it begins? */
static bool climbs_out(const char *name)
{
	int depth = 0;
	for (const char *p = name; *p && depth >= 0;) {
		size_t n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", 2))
			depth--;
		else if (n > 1 || (n == 1 && *p != '.'))
			depth++;
		p += n;
		p += *p == '/';
	}
	return depth < 0;
}

/* The path of a file of the snapshot, in its folder; backslashes are other systems' slashes.
 * Whoever made the snapshot chose the name, so it may not lead elsewhere: CAIRN_E_INVAL with a
 * sentence, unless the user trusts it. */
static int path_of(const struct ete_snapshot *snapshot, const char *name, size_t n, char **out)
{
	bool absolute = n && (*name == '/' || *name == '\\');
	size_t at = absolute ? 0 : strlen(snapshot->folder);
	char *path = *out = base_alloc(snapshot->cairn, at + n + 1);
	if (!path)
		return CAIRN_E_NOMEM;
	memcpy(path, snapshot->folder, at);
	memcpy(path + at, name, n);
	for (char *p = path + at; *p; p++)
		if (*p == '\\')
			*p = '/';
	if (base_opts(snapshot->cairn)->trust_paths ||
	    !(absolute || climbs_out(path + at) || io_lies_outside(snapshot->folder, path)))
		return 0;
	base_free(snapshot->cairn, path);
	*out = NULL;
	return base_fail(snapshot->cairn, CAIRN_E_INVAL,
	                 "'%.*s' lies outside the folder of the snapshot (--trust-paths opens it)",
	                 (int)(n < 200 ? n : 200), name);
}

/* The file's name as the snapshot writes it. */
static const char *short_name(const struct ete_snapshot *snapshot, const char *path)
{
	size_t n = strlen(snapshot->folder);
	return strncmp(path, snapshot->folder, n) == 0 ? path + n : path;
}

static int too_many(struct ete_snapshot *snapshot, const char *what, int most)
{
	return base_fail(snapshot->cairn, CAIRN_E_LIMIT, "%ssnapshot.ini: more than %d %s",
	                 snapshot->folder, most, what);
}

static bool snapshot_begins(const char *text, const char *with)
{
	return !strncasecmp(text, with, strlen(with));
}

static bool same(const char *left, const char *word, size_t n)
{
	return strlen(left) == n && !strncasecmp(left, word, n);
}

/* ---- memory ---- */

/* A number that may be missing. */
static int optional(const struct ete_ini *ini, const struct ete_ini_section *sec, const char *key,
                    uint64_t *out)
{
	const struct ete_ini_key *ini_key = ete_ini_find(ini, sec, key);
	return ini_key ? ete_ini_number(ini, ini_key, out) : 0;
}

static int add_dump(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                    const struct ete_ini_section *sec, struct cairn_image *im)
{
	const struct ete_ini_key *file, *address, *space = ete_ini_find(ini, sec, "space");
	uint64_t addr = 0, offset = 0, length = UINT64_MAX;
	struct image_space where = {.spaces = CAIRN_IMAGE_ANY};
	bool cut = false;
	int rc = ete_ini_need(ini, sec, "file", &file);
	if (rc >= 0)
		rc = ete_ini_need(ini, sec, "address", &address);
	if (rc >= 0)
		rc = ete_ini_number(ini, address, &addr);
	if (rc >= 0)
		rc = optional(ini, sec, "offset", &offset);
	if (rc >= 0)
		rc = optional(ini, sec, "length", &length);
	if (rc >= 0 && space && *space->value) {
		if (!image_space_parse(space->value, strlen(space->value), &where))
			rc = base_fail(snapshot->cairn, CAIRN_E_DAMAGED,
			               "%s: line %u: no memory space is called '%.40s'", ini->path, space->line,
			               space->value);
	}
	if (rc < 0)
		return rc;
	char *path;
	rc = path_of(snapshot, file->value, strlen(file->value), &path);
	if (rc >= 0)
		rc = image_add_part(im, path, &where, addr, offset, length, &cut);
	if (rc < 0 && rc != CAIRN_E_NOMEM)
		rc = snapshot_note(snapshot, "%s: line %u: no program bytes from 0x%llx: %s",
		                   short_name(snapshot, ini->path), sec->line, (unsigned long long)addr,
		                   short_name(snapshot, cairn_error_text(snapshot->cairn)));
	else if (rc >= 0 && cut)
		rc = snapshot_note(snapshot, "%s: line %u: %s ends before the dump from 0x%llx is complete",
		                   short_name(snapshot, ini->path), sec->line, file->value,
		                   (unsigned long long)addr);
	base_free(snapshot->cairn, path);
	return rc;
}

static int add_dumps(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                     struct cairn_image *im)
{
	int rc = 0;
	for (size_t i = 0; i < ini->n_sections && rc >= 0; i++)
		if (snapshot_begins(ini->sections[i].name, "dump"))
			rc = add_dump(snapshot, ini, &ini->sections[i], im);
	return rc;
}

/* ---- devices ---- */

static int add_core(struct ete_snapshot *snapshot, const char *name, const char *type)
{
	struct ete_core *core =
		base_append(snapshot->cairn, &snapshot->cores, &snapshot->n_cores, sizeof *core);
	if (!core)
		return CAIRN_E_NOMEM;
	core->name = base_strdup(snapshot->cairn, name);
	core->type = base_strdup(snapshot->cairn, type);
	core->image = cairn_image_new(snapshot->cairn);
	core->level = ete_core_level(type);
	core->profile = ete_core_profile(type);
	return core->name && core->type && core->image ? 0 : CAIRN_E_NOMEM;
}

static int read_regs(const struct ete_ini *ini, struct ete_regs *regs)
{
	const struct ete_ini_section *sec = ete_ini_section(ini, "regs");
	int rc = 0;
	ete_regs_default(regs);
	for (size_t i = 0; sec && i < sec->n && rc >= 0; i++) {
		const struct ete_ini_key *key = &ini->keys[sec->first + i];
		size_t n = strcspn(key->key, "( \t");
		int reg = ete_reg_find(key->key, n);
		uint64_t value;
		if (reg < 0)
			continue;
		rc = ete_ini_number(ini, key, &value);
		if (rc >= 0 && value > UINT32_MAX)
			rc = base_fail(ini->cairn, CAIRN_E_DAMAGED, "%s: line %u: %s has 32 bits", ini->path,
			               key->line, reg_names[reg]);
		if (rc < 0)
			return rc;
		regs->value[reg] = (uint32_t)value;
		regs->given |= 1u << reg;
	}
	return rc;
}

static int snapshot_add_unit(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                             const char *name, const char *type)
{
	static const enum ete_reg needed[] = {ETE_TRCCONFIGR, ETE_TRCTRACEIDR, ETE_TRCIDR0,
	                                      ETE_TRCIDR2};
	struct ete_unit *unit =
		base_append(snapshot->cairn, &snapshot->units, &snapshot->n_units, sizeof *unit);
	if (!unit)
		return CAIRN_E_NOMEM;
	unit->name = base_strdup(snapshot->cairn, name);
	unit->type = base_strdup(snapshot->cairn, type);
	unit->core = -1;
	unit->protocol = snapshot_begins(type, "ETM4") || snapshot_begins(type, "ETMv4")
	                     ? CAIRN_ETE_ETMV4
	                     : CAIRN_ETE_BY_DEVARCH;
	unit->decoded = unit->protocol || same("ETE", type, strcspn(type, "."));
	if (!unit->name || !unit->type)
		return CAIRN_E_NOMEM;
	int rc = read_regs(ini, &unit->regs);
	if (unit->protocol && !(unit->regs.given >> ETE_TRCDEVARCH & 1))
		unit->regs.value[ETE_TRCDEVARCH] = ETMV4_DEVARCH;
	for (size_t i = 0; i < 4 && rc >= 0 && unit->decoded; i++)
		if (!(unit->regs.given >> needed[i] & 1)) {
			unit->decoded = false;
			unit->unregistered = true;
			rc = snapshot_note(
				snapshot,
				"%s: an %s source needs its %s in [regs]; what it wrote cannot be decoded",
				short_name(snapshot, ini->path), unit->protocol ? "ETMv4" : "ETE",
				reg_names[needed[i]]);
		}
	return rc;
}

/* Devices are read three times. When all cores are known their dumps are added, then those of
 * memory spaces, which belong to every core. */
enum pass { DEVICES, DUMPS, SPACES };

static int read_device(struct ete_snapshot *snapshot, const char *path, enum pass pass)
{
	const struct ete_ini_key *cls, *name, *type;
	struct ete_ini ini;
	int rc = ete_ini_open(snapshot->cairn, path, &ini);
	if (rc < 0)
		return rc;
	const struct ete_ini_section *dev = ete_ini_section(&ini, "device");
	if (!dev)
		rc = base_fail(snapshot->cairn, CAIRN_E_DAMAGED, "%s: there is no [device]", path);
	if (rc >= 0)
		rc = ete_ini_need(&ini, dev, "class", &cls);
	if (rc >= 0)
		rc = ete_ini_need(&ini, dev, "name", &name);
	if (rc < 0)
		goto out;
	type = ete_ini_find(&ini, dev, "type");
	bool core = !strcasecmp(cls->value, "core"), space = !strcasecmp(cls->value, "memory_space");
	if (pass != DEVICES) {
		for (size_t i = 0; i < snapshot->n_cores && rc >= 0; i++)
			if (pass == SPACES ? space : core && !strcmp(snapshot->cores[i].name, name->value))
				rc = add_dumps(snapshot, &ini, snapshot->cores[i].image);
	} else if (core) {
		rc = add_core(snapshot, name->value, type ? type->value : "");
	} else if (!strcasecmp(cls->value, "trace_source")) {
		rc = snapshot_add_unit(snapshot, &ini, name->value, type ? type->value : "");
	}
out:
	ete_ini_free(&ini);
	return rc;
}

/* Read on without a device whose file is missing; an error within a file is an error. */
static int read_devices(struct ete_snapshot *snapshot, const struct ete_ini *ini, enum pass pass)
{
	const struct ete_ini_section *sec = ete_ini_section(ini, "device_list");
	int rc = 0;
	if (!sec || !sec->n)
		return base_fail(snapshot->cairn, CAIRN_E_DAMAGED, "%s: no device in [device_list]",
		                 ini->path);
	if (sec->n > MAX_DEVICES)
		return too_many(snapshot, "devices", MAX_DEVICES);
	for (size_t i = 0; i < sec->n && rc >= 0; i++) {
		const struct ete_ini_key *key = &ini->keys[sec->first + i];
		char *path;
		bool outside =
			(rc = path_of(snapshot, key->value, strlen(key->value), &path)) == CAIRN_E_INVAL;
		if (rc >= 0)
			rc = read_device(snapshot, path, pass);
		if (outside || rc == CAIRN_E_NOTFOUND)
			rc = pass != DEVICES
			         ? 0
			         : snapshot_note(snapshot, "%s: line %u: no device is read: %s",
			                         short_name(snapshot, ini->path), key->line,
			                         short_name(snapshot, cairn_error_text(snapshot->cairn)));
		base_free(snapshot->cairn, path);
	}
	return rc;
}

/* ---- the trace ---- */

static int framing_of(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                      const struct ete_ini_section *sec, enum ete_framing *out)
{
	const struct ete_ini_key *key;
	int rc = ete_ini_need(ini, sec, "format", &key);
	if (rc < 0)
		return rc;
	if (!strcasecmp(key->value, "source_data"))
		*out = ETE_RAW;
	else if (!strcasecmp(key->value, "coresight"))
		*out = ETE_FRAMES;
	else if (!strcasecmp(key->value, "dstream_coresight"))
		*out = ETE_FRAMES_SYNC;
	else
		return base_fail(snapshot->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: line %u: a buffer's format is "
		                 "source_data, coresight or dstream_coresight, not '%.40s'",
		                 ini->path, key->line, key->value);
	return 0;
}

static int add_session(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                       const struct ete_ini_section *sec)
{
	const struct ete_ini_key *name, *file;
	const char *list, *word;
	size_t n;
	if (snapshot->n_sessions == MAX_SESSIONS)
		return too_many(snapshot, "trace buffers", MAX_SESSIONS);
	struct ete_session *session =
		base_append(snapshot->cairn, &snapshot->sessions, &snapshot->n_sessions, sizeof *session);
	if (!session)
		return CAIRN_E_NOMEM;
	int rc = ete_ini_need(ini, sec, "name", &name);
	if (rc >= 0)
		rc = ete_ini_need(ini, sec, "file", &file);
	if (rc >= 0)
		rc = framing_of(snapshot, ini, sec, &session->framing);
	if (rc < 0)
		return rc;
	session->name = base_strdup(snapshot->cairn, name->value);
	for (list = file->value; rc >= 0 && ete_ini_word(&list, &word, &n);) {
		char **path =
			base_append(snapshot->cairn, &session->files, &session->n_files, sizeof *path);
		if (!path)
			return CAIRN_E_NOMEM;
		rc = path_of(snapshot, word, n, path);
		if (rc != CAIRN_E_INVAL)
			continue;
		session->n_files--; /* files behind it would be taken for its continuation */
		rc = snapshot_note(snapshot, "%s: line %u: the buffer ends here: %s",
		                   short_name(snapshot, ini->path), file->line,
		                   cairn_error_text(snapshot->cairn));
		break;
	}
	return session->name ? rc : CAIRN_E_NOMEM;
}

static int read_sessions(struct ete_snapshot *snapshot, const struct ete_ini *ini)
{
	const struct ete_ini_section *sec = ete_ini_section(ini, "trace_buffers");
	const struct ete_ini_key *key;
	const char *list, *word;
	char name[128];
	size_t n;
	if (!sec)
		return base_fail(snapshot->cairn, CAIRN_E_DAMAGED, "%s: there is no [trace_buffers]",
		                 ini->path);
	int rc = ete_ini_need(ini, sec, "buffers", &key);
	for (list = rc < 0 ? "" : key->value; rc >= 0 && ete_ini_word(&list, &word, &n);) {
		snprintf(name, sizeof name, "%.*s", (int)(n < 100 ? n : 100), word);
		const struct ete_ini_section *one = ete_ini_section(ini, name);
		rc = one ? add_session(snapshot, ini, one)
		         : base_fail(snapshot->cairn, CAIRN_E_DAMAGED,
		                     "%s: line %u: there is no section [%s]", ini->path, key->line, name);
	}
	return rc;
}

static struct ete_unit *unit_named(struct ete_snapshot *snapshot, const char *name, size_t n)
{
	for (size_t i = 0; i < snapshot->n_units; i++)
		if (same(snapshot->units[i].name, name, n))
			return &snapshot->units[i];
	return NULL;
}

/* A name that the device list does not have. If its bytes cannot be decoded, that is reported where
 * they are. */
static int no_device(struct ete_snapshot *snapshot, const struct ete_ini *ini, unsigned line,
                     const char *what, const char *name, size_t n)
{
	return remark(snapshot, "%s: line %u: no %s is called '%.*s'", short_name(snapshot, ini->path),
	              line, what, (int)(n < 80 ? n : 80), name);
}

static int attach(struct ete_snapshot *snapshot, struct ete_session *to, unsigned unit)
{
	for (size_t i = 0; i < to->n_units; i++)
		if (to->units[i] == unit)
			return 0;
	unsigned *last = base_append(snapshot->cairn, &to->units, &to->n_units, sizeof *last);
	if (!last)
		return CAIRN_E_NOMEM;
	*last = unit;
	return 0;
}

/* Which source wrote into which buffers. */
static int read_source_buffers(struct ete_snapshot *snapshot, const struct ete_ini *ini)
{
	const struct ete_ini_section *sec = ete_ini_section(ini, "source_buffers");
	int rc = 0;
	for (size_t i = 0; sec && i < sec->n && rc >= 0; i++) {
		const struct ete_ini_key *key = &ini->keys[sec->first + i];
		const struct ete_unit *unit = unit_named(snapshot, key->key, strlen(key->key));
		const char *list = key->value, *word;
		size_t n, at;
		if (!unit)
			rc = no_device(snapshot, ini, key->line, "trace source", key->key, strlen(key->key));
		while (unit && rc >= 0 && ete_ini_word(&list, &word, &n)) {
			for (at = 0; at < snapshot->n_sessions && !same(snapshot->sessions[at].name, word, n);
			     at++)
				;
			rc = at == snapshot->n_sessions ? no_device(snapshot, ini, key->line, "buffer", word, n)
			                                : attach(snapshot, &snapshot->sessions[at],
			                                         (unsigned)(unit - snapshot->units));
		}
	}
	return rc;
}

/* The core of that name. One that the device list does not have is a core all the same, of which
 * only the trace is known. */
static int core_named(struct ete_snapshot *snapshot, const struct ete_ini *ini,
                      const struct ete_ini_key *key, size_t *core)
{
	for (*core = 0; *core < snapshot->n_cores; ++*core)
		if (!strcasecmp(snapshot->cores[*core].name, key->key))
			return 0;
	if (snapshot->n_cores >= MAX_DEVICES)
		return too_many(snapshot, "cores", MAX_DEVICES);
	int rc = no_device(snapshot, ini, key->line, "core", key->key, strlen(key->key));
	return rc < 0 ? rc : add_core(snapshot, key->key, "");
}

/* Which core a source traces. */
static int read_core_sources(struct ete_snapshot *snapshot, const struct ete_ini *ini)
{
	const struct ete_ini_section *sec = ete_ini_section(ini, "core_trace_sources");
	int rc = 0;
	for (size_t i = 0; sec && i < sec->n && rc >= 0; i++) {
		const struct ete_ini_key *key = &ini->keys[sec->first + i];
		const char *list = key->value, *word;
		size_t n, core;
		rc = core_named(snapshot, ini, key, &core);
		while (rc >= 0 && ete_ini_word(&list, &word, &n)) {
			struct ete_unit *unit = unit_named(snapshot, word, n);
			if (!unit)
				rc = no_device(snapshot, ini, key->line, "trace source", word, n);
			else if (!unit->decoded && !unit->unregistered)
				rc = remark(snapshot, "%s: line %u: what %s (%.40s) traced of %s is not decoded",
				            short_name(snapshot, ini->path), key->line, unit->name,
				            *unit->type ? unit->type : "of no type", key->key);
			if (unit)
				unit->core = (int)core;
		}
	}
	return rc;
}

static int snapshot_read_trace(struct ete_snapshot *snapshot, const char *name)
{
	struct ete_ini ini;
	char *path;
	int rc = path_of(snapshot, name, strlen(name), &path);
	if (rc == CAIRN_E_INVAL)
		return base_wrap(snapshot->cairn, "%ssnapshot.ini", snapshot->folder);
	if (rc >= 0)
		rc = ete_ini_open(snapshot->cairn, path, &ini);
	base_free(snapshot->cairn, path);
	if (rc < 0)
		return rc;
	rc = read_sessions(snapshot, &ini);
	if (rc >= 0)
		rc = read_source_buffers(snapshot, &ini);
	if (rc >= 0)
		rc = read_core_sources(snapshot, &ini);
	if (rc >= 0 && snapshot->n_sessions == 0)
		rc = base_fail(snapshot->cairn, CAIRN_E_DAMAGED, "%s: it names no trace buffer", ini.path);
	ete_ini_free(&ini);
	return rc;
}

/* ---- all of it ---- */

static int read_snapshot(struct ete_snapshot *snapshot, const struct ete_ini *ini)
{
	const struct ete_ini_section *top = ete_ini_section(ini, "snapshot"),
								 *trace = ete_ini_section(ini, "trace");
	const struct ete_ini_key *version, *metadata, *description;
	if (!top)
		return base_fail(snapshot->cairn, CAIRN_E_DAMAGED, "%s: there is no [snapshot]", ini->path);
	int rc = ete_ini_need(ini, top, "version", &version);
	if (rc >= 0 && strncmp(version->value, "1.", 2) != 0 && strcmp(version->value, "1") != 0)
		rc = base_fail(snapshot->cairn, CAIRN_E_UNSUPPORTED,
		               "%s: line %u: version %.20s of snapshots is not known; 1.0 is", ini->path,
		               version->line, version->value);
	description = ete_ini_find(ini, top, "description");
	snapshot->description = base_strdup(snapshot->cairn, description ? description->value : "");
	if (rc >= 0 && !snapshot->description)
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = read_devices(snapshot, ini, DEVICES);
	if (rc >= 0 && !trace)
		rc = base_fail(snapshot->cairn, CAIRN_E_DAMAGED,
		               "%s: there is no [trace]: nothing was traced", ini->path);
	if (rc >= 0)
		rc = ete_ini_need(ini, trace, "metadata", &metadata);
	if (rc >= 0)
		rc = snapshot_read_trace(snapshot, metadata->value);
	if (rc >= 0)
		rc = read_devices(snapshot, ini, DUMPS);
	return rc < 0 ? rc : read_devices(snapshot, ini, SPACES);
}

int ete_snapshot_open(struct cairn *cairn, const char *path, struct ete_snapshot **out)
{
	struct ete_snapshot *snapshot = base_alloc(cairn, sizeof *snapshot);
	const char *slash = strrchr(path, '/');
	struct ete_ini ini = {0};
	*out = snapshot;
	if (!snapshot)
		return CAIRN_E_NOMEM;
	snapshot->cairn = cairn;
	snapshot->folder = base_strdup(cairn, path);
	if (!snapshot->folder)
		return CAIRN_E_NOMEM;
	snapshot->folder[slash ? slash + 1 - path : 0] = 0;
	int rc = ete_ini_open(cairn, path, &ini);
	if (rc >= 0)
		rc = read_snapshot(snapshot, &ini);
	ete_ini_free(&ini);
	return rc;
}

void ete_snapshot_free(struct ete_snapshot *snapshot)
{
	if (!snapshot)
		return;
	for (size_t i = 0; i < snapshot->n_cores; i++) {
		base_free(snapshot->cairn, snapshot->cores[i].name);
		base_free(snapshot->cairn, snapshot->cores[i].type);
		cairn_image_free(snapshot->cores[i].image);
	}
	for (size_t i = 0; i < snapshot->n_units; i++) {
		base_free(snapshot->cairn, snapshot->units[i].name);
		base_free(snapshot->cairn, snapshot->units[i].type);
	}
	for (size_t i = 0; i < snapshot->n_sessions; i++) {
		for (size_t k = 0; k < snapshot->sessions[i].n_files; k++)
			base_free(snapshot->cairn, snapshot->sessions[i].files[k]);
		base_free(snapshot->cairn, snapshot->sessions[i].files);
		base_free(snapshot->cairn, snapshot->sessions[i].units);
		base_free(snapshot->cairn, snapshot->sessions[i].name);
	}
	for (size_t i = 0; i < snapshot->n_notes; i++)
		base_free(snapshot->cairn, snapshot->notes[i].text);
	base_free(snapshot->cairn, snapshot->notes);
	base_free(snapshot->cairn, snapshot->cores);
	base_free(snapshot->cairn, snapshot->units);
	base_free(snapshot->cairn, snapshot->sessions);
	base_free(snapshot->cairn, snapshot->description);
	base_free(snapshot->cairn, snapshot->folder);
	base_free(snapshot->cairn, snapshot);
}
