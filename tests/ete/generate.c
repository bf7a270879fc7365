/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

uint64_t ete_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return ete_random(seed) % n;
}

static bool chance(uint64_t *seed, unsigned percent)
{
	return below(seed, 100) < percent;
}

/* Small numbers more often than large ones. */
static uint32_t some(uint64_t *seed, unsigned bits)
{
	return (uint32_t)(ete_random(seed) & (((uint64_t)1 << below(seed, bits + 1)) - 1));
}

void ete_some_config(unsigned i, uint64_t *seed, struct cairn_ete_config *cfg)
{
	static const uint32_t maxspec[] = {0, 0, 1, 4, 16, 120};
	bool etm = i % 4 == 3;
	cairn_ete_config_init(cfg);
	cfg->devarch = etm ? 0x47704a13 : 0x47705a13 | (uint32_t)(i % 3 ? 3 : below(seed, 4)) << 16;
	cfg->idr1 = 0x4100f463;
	cfg->idr8 = maxspec[below(seed, 6)];
	cfg->idr0 = 0x80 | (uint32_t)below(seed, 4) << 15;
	cfg->idr0 |= (uint32_t)below(seed, 2) << 29; /* COMMOPT */
	cfg->idr0 |= (uint32_t)below(seed, 2) << 30; /* COMMTRANS */
	cfg->idr0 |= (uint32_t)below(seed, 2) << 23; /* TSMARK */
	cfg->idr2 = 8 | 4u << 5 | (1u << below(seed, 3)) << 10 | (uint32_t)below(seed, 9) << 25;
	cfg->configr = chance(seed, 50) ? 0x10 : 0;
	if (etm) {
		cfg->idr0 |= 0x40;
		cfg->configr |= 0x10100;
		cfg->profile = chance(seed, 50) ? 'M' : 'A';
	}
}

/* ---- packets ---- */

void ete_maker_init(struct ete_maker *m, struct cairn *c, const struct cairn_ete_config *cfg,
                    uint64_t seed)
{
	memset(m, 0, sizeof *m);
	m->cfg = cfg;
	m->seed = seed;
	m->sf = 1;
	m->code = 0xffff800010000000;
	if (cairn_ete_encoder_open(c, cfg, &m->encoder) < 0)
		abort();
}

void ete_maker_free(struct ete_maker *m)
{
	cairn_ete_encoder_close(m->encoder);
}

static void push(struct ete_maker *m, uint64_t a, unsigned is1)
{
	for (unsigned i = 2; i > 0; i--) {
		m->address[i] = m->address[i - 1];
		m->is1[i] = m->is1[i - 1];
	}
	m->address[0] = a;
	m->is1[0] = (uint8_t)is1;
}

void ete_made(struct ete_maker *m, const struct cairn_ete_packet *p)
{
	switch (p->type) {
	case CAIRN_ETE_P_TRACE_INFO:
		for (unsigned i = 0; i < 3; i++)
			push(m, 0, 0);
		m->time = 0;
		m->threshold = p->cycles;
		m->sf = 1;
		return;
	case CAIRN_ETE_P_TIMESTAMP:
		m->time = p->value;
		return;
	case CAIRN_ETE_P_PE_RESET:
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		push(m, 0, 0);
		return;
	default:
		break;
	}
	if (p->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && p->type <= CAIRN_ETE_P_Q_32_IS1)
		push(m, p->address, p->flags & CAIRN_ETE_P_IS1);
	if (p->type >= CAIRN_ETE_P_CONTEXT && p->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		m->sf = p->context >> 4 & 1;
}

static void make_address(struct ete_maker *m, struct cairn_ete_packet *p)
{
	static const char sizes[] = {/* from ADDR_CTXT_32_IS0 on */
	                             '3', 'T', '6', 'D', 'm', 's', 'S', '3', 'T', '6', 'D', 'm',
	                             's', 'S', '3', 'T', '6', 'D', 'm', 's', 'S', '3', 'T'};
	char size = sizes[p->type - CAIRN_ETE_P_ADDR_CTXT_32_IS0];
	bool is1 = size == 'S' || size == 'T' || size == 'D';
	uint64_t a = m->code + some(&m->seed, 24) * 2;
	if (chance(&m->seed, 5))
		a = ete_random(&m->seed);
	if (size == 'm') {
		p->number = (uint16_t)below(&m->seed, 3);
		p->address = m->address[p->number];
		is1 = m->is1[p->number];
	} else if (size == 's' || size == 'S') {
		unsigned bits = (is1 ? 8u : 9u) + (chance(&m->seed, 50) ? 8u : 0);
		uint64_t low = ((uint64_t)1 << bits) - 1;
		p->bits = (uint8_t)bits;
		p->address = (m->address[0] & ~low) | (a & low);
	} else {
		p->address = a;
		if (size == '3' || size == 'T')
			p->address = (uint32_t)a | (m->sf ? m->address[0] >> 32 << 32 : 0);
	}
	if (size != 'm')
		p->address &= ~(uint64_t)(is1 ? 1 : 3);
	if (is1)
		p->flags |= CAIRN_ETE_P_IS1;
}

static void make_context(struct ete_maker *m, struct cairn_ete_packet *p)
{
	unsigned vmid = m->cfg->idr2 >> 10 & 31;
	p->context = (uint8_t)(ete_random(&m->seed) & 0x2b);
	if (chance(&m->seed, 85))
		p->context |= 16;
	if (chance(&m->seed, 30)) {
		p->context |= 64;
		p->flags |= CAIRN_ETE_P_HAS_VMID;
		p->vmid = (uint32_t)(ete_random(&m->seed) & (((uint64_t)1 << 8 * vmid) - 1));
	}
	if (chance(&m->seed, 30)) {
		p->context |= 128;
		p->flags |= CAIRN_ETE_P_HAS_CTXID;
		p->ctxid = (uint32_t)ete_random(&m->seed);
	}
}

static void make_cycles(struct ete_maker *m, struct cairn_ete_packet *p)
{
	bool opt = m->cfg->idr0 >> 29 & 1;
	unsigned bits = p->type == CAIRN_ETE_P_CCNT_F1 ? 20 : p->type == CAIRN_ETE_P_CCNT_F2 ? 4 : 2;
	p->flags |= CAIRN_ETE_P_HAS_CYCLES;
	if (bits == 20 && chance(&m->seed, 20))
		p->flags |= CAIRN_ETE_P_CYCLES_UNKNOWN;
	else
		p->cycles = m->threshold + some(&m->seed, bits);
	if (bits == 4)
		p->number = m->cfg->idr8 >= 16 && chance(&m->seed, 30);
	if (opt)
		return;
	p->flags |= CAIRN_ETE_P_HAS_COUNT;
	p->count = 1 + (uint32_t)below(&m->seed, bits == 2 ? 4 : bits == 4 ? 16 : 300);
	if (bits == 4 && p->number)
		p->count += m->cfg->idr8 - 16;
}

static void make_atoms(struct ete_maker *m, struct cairn_ete_packet *p)
{
	static const uint8_t f4[] = {14, 0, 10, 5}, f5[] = {0, 10, 21, 30};
	unsigned n;
	switch (p->type) {
	case CAIRN_ETE_P_ATOM_F4:
		p->n_atoms = 4;
		p->atoms = f4[below(&m->seed, 4)];
		break;
	case CAIRN_ETE_P_ATOM_F5:
		p->n_atoms = 5;
		p->atoms = f5[below(&m->seed, 4)];
		break;
	case CAIRN_ETE_P_ATOM_F6:
		n = 3 + (unsigned)below(&m->seed, 21);
		p->n_atoms = (uint8_t)(n + 1);
		p->atoms = ((1u << n) - 1) | (uint32_t)below(&m->seed, 2) << n;
		break;
	default:
		p->n_atoms = (uint8_t)(p->type - CAIRN_ETE_P_ATOM_F1 + 1);
		p->atoms = (uint32_t)below(&m->seed, 1u << p->n_atoms);
		break;
	}
}

static void make_corrected(struct ete_maker *m, struct cairn_ete_packet *p)
{
	static const uint8_t n[] = {0, 1, 2, 1}, atoms[] = {0, 1, 3, 0};
	if (p->type == CAIRN_ETE_P_CANCEL_F3) {
		p->number = (uint16_t)below(&m->seed, 8);
		p->n_atoms = p->number & 1;
		p->atoms = p->n_atoms;
		p->count = (p->number >> 1) + 2u;
		return;
	}
	p->number = (uint16_t)below(&m->seed, 4);
	p->n_atoms = n[p->number];
	p->atoms = atoms[p->number];
	p->count = p->type == CAIRN_ETE_P_CANCEL_F2;
}

static void make_info(struct ete_maker *m, struct cairn_ete_packet *p)
{
	p->sections = (uint8_t)below(&m->seed, 32);
	p->info = p->sections & 1 ? (uint8_t)below(&m->seed, 128) : 0;
	p->count = p->sections & 2 ? some(&m->seed, 32) : 0;
	p->value = p->sections & 4 ? some(&m->seed, 16) : 0;
	p->cycles = p->sections & 8 ? some(&m->seed, 12) : 0;
	p->key = p->sections & 16 ? some(&m->seed, 32) : 0;
}

static void make_time(struct ete_maker *m, struct cairn_ete_packet *p)
{
	p->bits = (uint8_t)(7 * (1 + below(&m->seed, 9)));
	p->value = ete_random(&m->seed);
	if (p->bits == 63)
		p->bits = 64;
	else
		p->value = (m->time >> p->bits << p->bits) | (p->value & (((uint64_t)1 << p->bits) - 1));
	if (chance(&m->seed, 30)) {
		p->flags |= CAIRN_ETE_P_HAS_CYCLES;
		p->cycles = some(&m->seed, 12);
	}
}

static void make_exception(struct ete_maker *m, struct cairn_ete_packet *p)
{
	static const uint8_t types[] = {1, 2, 3, 4, 6, 7, 10, 11, 12, 14, 15, 16, 23};
	p->number = types[below(&m->seed, sizeof types)];
	p->info = chance(&m->seed, 80) ? 1 : 2;
	p->flags |= m->cfg->profile == 'M' ? CAIRN_ETE_P_M_PROFILE : 0;
	if (m->cfg->profile == 'M' && chance(&m->seed, 30)) {
		p->flags |= CAIRN_ETE_P_LONG_FORM;
		p->number = (uint16_t)below(&m->seed, 1024);
		if (chance(&m->seed, 30))
			p->flags |= CAIRN_ETE_P_FAULT_PENDING;
	}
}

static void make_conditional(struct ete_maker *m, struct cairn_ete_packet *p)
{
	static const uint8_t f1[] = {0, 1, 2, 3, 6, 7}, f2[] = {0, 1, 2, 4, 5, 6};
	switch (p->type) {
	case CAIRN_ETE_P_COND_INST_F1:
		p->count = some(&m->seed, 32);
		break;
	case CAIRN_ETE_P_COND_INST_F3:
		p->number = (uint16_t)below(&m->seed, 2);
		p->count = (uint32_t)below(&m->seed, 64) + p->number;
		break;
	case CAIRN_ETE_P_COND_RESULT_F1:
		p->number = f1[below(&m->seed, 6)];
		p->value = some(&m->seed, 32);
		p->result = (uint8_t)below(&m->seed, 16);
		if (p->number < 4) {
			p->key = some(&m->seed, 32);
			p->result |= (uint8_t)(below(&m->seed, 16) << 4);
		}
		break;
	case CAIRN_ETE_P_COND_RESULT_F2:
		p->number = f2[below(&m->seed, 6)];
		break;
	case CAIRN_ETE_P_COND_RESULT_F3:
		p->number = (uint16_t)below(&m->seed, 1 << 12);
		break;
	case CAIRN_ETE_P_NUM_DS_MARKER:
		p->number = (uint16_t)below(&m->seed, 8);
		break;
	case CAIRN_ETE_P_UNNUM_DS_MARKER:
		p->number = (uint16_t)below(&m->seed, 5);
		break;
	case CAIRN_ETE_P_COND_INST_F2:
	case CAIRN_ETE_P_COND_RESULT_F4:
		p->number = (uint16_t)below(&m->seed, 3);
		break;
	default:
		break;
	}
}

int ete_make(struct ete_maker *m, unsigned type, struct cairn_ete_packet *p)
{
	*p = (struct cairn_ete_packet){.type = (uint8_t)type};
	if (type >= CAIRN_ETE_P_ATOM_F1 && type <= CAIRN_ETE_P_ATOM_F6)
		make_atoms(m, p);
	else if (type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && type <= CAIRN_ETE_P_Q_32_IS1)
		make_address(m, p);
	else if (type >= CAIRN_ETE_P_CCNT_F1 && type <= CAIRN_ETE_P_CCNT_F3)
		make_cycles(m, p);
	else if (type >= CAIRN_ETE_P_CANCEL_F2 && type <= CAIRN_ETE_P_MISPREDICT)
		make_corrected(m, p);
	else if (type >= CAIRN_ETE_P_COMMIT && type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
		p->count = some(&m->seed, 32);
	else if (type >= CAIRN_ETE_P_NUM_DS_MARKER)
		make_conditional(m, p);
	else if (type == CAIRN_ETE_P_TRACE_INFO)
		make_info(m, p);
	else if (type == CAIRN_ETE_P_TIMESTAMP)
		make_time(m, p);
	else if (type == CAIRN_ETE_P_EXCEPTION)
		make_exception(m, p);
	else if (type == CAIRN_ETE_P_EVENT)
		p->number = (uint16_t)(1 + below(&m->seed, 15));
	if (type >= CAIRN_ETE_P_CONTEXT && type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		make_context(m, p);
	if (type == CAIRN_ETE_P_INSTRUMENTATION) {
		p->number = (uint16_t)below(&m->seed, 4);
		p->value = ete_random(&m->seed);
	}
	if (type >= CAIRN_ETE_P_Q_MATCH && type <= CAIRN_ETE_P_Q_COUNT) {
		p->count = some(&m->seed, 12);
		p->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
	return cairn_ete_packet_name(type) != NULL && type > CAIRN_ETE_P_PADDING;
}
