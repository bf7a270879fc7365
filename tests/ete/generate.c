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

void ete_some_config(unsigned index, uint64_t *seed, struct cairn_ete_config *cfg)
{
	static const uint32_t maxspec[] = {0, 0, 1, 4, 16, 120};
	bool etm = index % 4 == 3;
	cairn_ete_config_init(cfg);
	cfg->devarch = etm ? 0x47704a13 : 0x47705a13 | (uint32_t)(index % 3 ? 3 : below(seed, 4)) << 16;
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

void ete_maker_init(struct ete_maker *maker, struct cairn *cairn,
                    const struct cairn_ete_config *cfg, uint64_t seed)
{
	memset(maker, 0, sizeof *maker);
	maker->cfg = cfg;
	maker->seed = seed;
	maker->sf = 1;
	maker->code = 0xffff800010000000;
	if (cairn_ete_encoder_open(cairn, cfg, &maker->encoder) < 0)
		abort();
}

void ete_maker_free(struct ete_maker *maker)
{
	cairn_ete_encoder_close(maker->encoder);
}

static void push(struct ete_maker *maker, uint64_t a, unsigned is1)
{
	for (unsigned i = 2; i > 0; i--) {
		maker->address[i] = maker->address[i - 1];
		maker->is1[i] = maker->is1[i - 1];
	}
	maker->address[0] = a;
	maker->is1[0] = (uint8_t)is1;
}

void ete_made(struct ete_maker *maker, const struct cairn_ete_packet *packet)
{
	switch (packet->type) {
	case CAIRN_ETE_P_TRACE_INFO:
		for (unsigned i = 0; i < 3; i++)
			push(maker, 0, 0);
		maker->time = 0;
		maker->threshold = packet->cycles;
		maker->sf = 1;
		return;
	case CAIRN_ETE_P_TIMESTAMP:
		maker->time = packet->value;
		return;
	case CAIRN_ETE_P_PE_RESET:
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		push(maker, 0, 0);
		return;
	default:
		break;
	}
	if (packet->type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && packet->type <= CAIRN_ETE_P_Q_32_IS1)
		push(maker, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	if (packet->type >= CAIRN_ETE_P_CONTEXT && packet->type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		maker->sf = packet->context >> 4 & 1;
}

static void make_address(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	static const char sizes[] = {/* from ADDR_CTXT_32_IS0 on */
	                             '3', 'T', '6', 'D', 'm', 's', 'S', '3', 'T', '6', 'D', 'm',
	                             's', 'S', '3', 'T', '6', 'D', 'm', 's', 'S', '3', 'T'};
	char size = sizes[packet->type - CAIRN_ETE_P_ADDR_CTXT_32_IS0];
	bool is1 = size == 'S' || size == 'T' || size == 'D';
	uint64_t a = maker->code + some(&maker->seed, 24) * 2;
	if (chance(&maker->seed, 5))
		a = ete_random(&maker->seed);
	if (size == 'm') {
		packet->number = (uint16_t)below(&maker->seed, 3);
		packet->address = maker->address[packet->number];
		is1 = maker->is1[packet->number];
	} else if (size == 's' || size == 'S') {
		unsigned bits = (is1 ? 8u : 9u) + (chance(&maker->seed, 50) ? 8u : 0);
		uint64_t low = ((uint64_t)1 << bits) - 1;
		packet->bits = (uint8_t)bits;
		packet->address = (maker->address[0] & ~low) | (a & low);
	} else {
		packet->address = a;
		if (size == '3' || size == 'T')
			packet->address = (uint32_t)a | (maker->sf ? maker->address[0] >> 32 << 32 : 0);
	}
	if (size != 'm')
		packet->address &= ~(uint64_t)(is1 ? 1 : 3);
	if (is1)
		packet->flags |= CAIRN_ETE_P_IS1;
}

static void make_context(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	unsigned vmid = maker->cfg->idr2 >> 10 & 31;
	packet->context = (uint8_t)(ete_random(&maker->seed) & 0x2b);
	if (chance(&maker->seed, 85))
		packet->context |= 16;
	if (chance(&maker->seed, 30)) {
		packet->context |= 64;
		packet->flags |= CAIRN_ETE_P_HAS_VMID;
		packet->vmid = (uint32_t)(ete_random(&maker->seed) & (((uint64_t)1 << 8 * vmid) - 1));
	}
	if (chance(&maker->seed, 30)) {
		packet->context |= 128;
		packet->flags |= CAIRN_ETE_P_HAS_CTXID;
		packet->ctxid = (uint32_t)ete_random(&maker->seed);
	}
}

static void make_cycles(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	bool opt = maker->cfg->idr0 >> 29 & 1;
	unsigned bits = packet->type == CAIRN_ETE_P_CCNT_F1   ? 20
	                : packet->type == CAIRN_ETE_P_CCNT_F2 ? 4
	                                                      : 2;
	packet->flags |= CAIRN_ETE_P_HAS_CYCLES;
	if (bits == 20 && chance(&maker->seed, 20))
		packet->flags |= CAIRN_ETE_P_CYCLES_UNKNOWN;
	else
		packet->cycles = maker->threshold + some(&maker->seed, bits);
	if (bits == 4)
		packet->number = maker->cfg->idr8 >= 16 && chance(&maker->seed, 30);
	if (opt)
		return;
	packet->flags |= CAIRN_ETE_P_HAS_COUNT;
	packet->count = 1 + (uint32_t)below(&maker->seed, bits == 2 ? 4 : bits == 4 ? 16 : 300);
	if (bits == 4 && packet->number)
		packet->count += maker->cfg->idr8 - 16;
}

static void make_atoms(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	static const uint8_t f4[] = {14, 0, 10, 5}, f5[] = {0, 10, 21, 30};
	unsigned n;
	switch (packet->type) {
	case CAIRN_ETE_P_ATOM_F4:
		packet->n_atoms = 4;
		packet->atoms = f4[below(&maker->seed, 4)];
		break;
	case CAIRN_ETE_P_ATOM_F5:
		packet->n_atoms = 5;
		packet->atoms = f5[below(&maker->seed, 4)];
		break;
	case CAIRN_ETE_P_ATOM_F6:
		n = 3 + (unsigned)below(&maker->seed, 21);
		packet->n_atoms = (uint8_t)(n + 1);
		packet->atoms = ((1u << n) - 1) | (uint32_t)below(&maker->seed, 2) << n;
		break;
	default:
		packet->n_atoms = (uint8_t)(packet->type - CAIRN_ETE_P_ATOM_F1 + 1);
		packet->atoms = (uint32_t)below(&maker->seed, 1u << packet->n_atoms);
		break;
	}
}

static void make_corrected(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	static const uint8_t n[] = {0, 1, 2, 1}, atoms[] = {0, 1, 3, 0};
	if (packet->type == CAIRN_ETE_P_CANCEL_F3) {
		packet->number = (uint16_t)below(&maker->seed, 8);
		packet->n_atoms = packet->number & 1;
		packet->atoms = packet->n_atoms;
		packet->count = (packet->number >> 1) + 2u;
		return;
	}
	packet->number = (uint16_t)below(&maker->seed, 4);
	packet->n_atoms = n[packet->number];
	packet->atoms = atoms[packet->number];
	packet->count = packet->type == CAIRN_ETE_P_CANCEL_F2;
}

static void make_info(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	packet->sections = (uint8_t)below(&maker->seed, 32);
	packet->info = packet->sections & 1 ? (uint8_t)below(&maker->seed, 128) : 0;
	packet->count = packet->sections & 2 ? some(&maker->seed, 32) : 0;
	packet->value = packet->sections & 4 ? some(&maker->seed, 16) : 0;
	packet->cycles = packet->sections & 8 ? some(&maker->seed, 12) : 0;
	packet->key = packet->sections & 16 ? some(&maker->seed, 32) : 0;
}

static void make_time(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	packet->bits = (uint8_t)(7 * (1 + below(&maker->seed, 9)));
	packet->value = ete_random(&maker->seed);
	if (packet->bits == 63)
		packet->bits = 64;
	else
		packet->value = (maker->time >> packet->bits << packet->bits) |
		                (packet->value & (((uint64_t)1 << packet->bits) - 1));
	if (chance(&maker->seed, 30)) {
		packet->flags |= CAIRN_ETE_P_HAS_CYCLES;
		packet->cycles = some(&maker->seed, 12);
	}
}

static void make_exception(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	static const uint8_t types[] = {1, 2, 3, 4, 6, 7, 10, 11, 12, 14, 15, 16, 23};
	packet->number = types[below(&maker->seed, sizeof types)];
	packet->info = chance(&maker->seed, 80) ? 1 : 2;
	packet->flags |= maker->cfg->profile == 'M' ? CAIRN_ETE_P_M_PROFILE : 0;
	if (maker->cfg->profile == 'M' && chance(&maker->seed, 30)) {
		packet->flags |= CAIRN_ETE_P_LONG_FORM;
		packet->number = (uint16_t)below(&maker->seed, 1024);
		if (chance(&maker->seed, 30))
			packet->flags |= CAIRN_ETE_P_FAULT_PENDING;
	}
}

static void make_conditional(struct ete_maker *maker, struct cairn_ete_packet *packet)
{
	static const uint8_t f1[] = {0, 1, 2, 3, 6, 7}, f2[] = {0, 1, 2, 4, 5, 6};
	switch (packet->type) {
	case CAIRN_ETE_P_COND_INST_F1:
		packet->count = some(&maker->seed, 32);
		break;
	case CAIRN_ETE_P_COND_INST_F3:
		packet->number = (uint16_t)below(&maker->seed, 2);
		packet->count = (uint32_t)below(&maker->seed, 64) + packet->number;
		break;
	case CAIRN_ETE_P_COND_RESULT_F1:
		packet->number = f1[below(&maker->seed, 6)];
		packet->value = some(&maker->seed, 32);
		packet->result = (uint8_t)below(&maker->seed, 16);
		if (packet->number < 4) {
			packet->key = some(&maker->seed, 32);
			packet->result |= (uint8_t)(below(&maker->seed, 16) << 4);
		}
		break;
	case CAIRN_ETE_P_COND_RESULT_F2:
		packet->number = f2[below(&maker->seed, 6)];
		break;
	case CAIRN_ETE_P_COND_RESULT_F3:
		packet->number = (uint16_t)below(&maker->seed, 1 << 12);
		break;
	case CAIRN_ETE_P_NUM_DS_MARKER:
		packet->number = (uint16_t)below(&maker->seed, 8);
		break;
	case CAIRN_ETE_P_UNNUM_DS_MARKER:
		packet->number = (uint16_t)below(&maker->seed, 5);
		break;
	case CAIRN_ETE_P_COND_INST_F2:
	case CAIRN_ETE_P_COND_RESULT_F4:
		packet->number = (uint16_t)below(&maker->seed, 3);
		break;
	default:
		break;
	}
}

int ete_make(struct ete_maker *maker, unsigned type, struct cairn_ete_packet *packet)
{
	*packet = (struct cairn_ete_packet){.type = (uint8_t)type};
	if (type >= CAIRN_ETE_P_ATOM_F1 && type <= CAIRN_ETE_P_ATOM_F6)
		make_atoms(maker, packet);
	else if (type >= CAIRN_ETE_P_ADDR_CTXT_32_IS0 && type <= CAIRN_ETE_P_Q_32_IS1)
		make_address(maker, packet);
	else if (type >= CAIRN_ETE_P_CCNT_F1 && type <= CAIRN_ETE_P_CCNT_F3)
		make_cycles(maker, packet);
	else if (type >= CAIRN_ETE_P_CANCEL_F2 && type <= CAIRN_ETE_P_MISPREDICT)
		make_corrected(maker, packet);
	else if (type >= CAIRN_ETE_P_COMMIT && type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
		packet->count = some(&maker->seed, 32);
	else if (type >= CAIRN_ETE_P_NUM_DS_MARKER)
		make_conditional(maker, packet);
	else if (type == CAIRN_ETE_P_TRACE_INFO)
		make_info(maker, packet);
	else if (type == CAIRN_ETE_P_TIMESTAMP)
		make_time(maker, packet);
	else if (type == CAIRN_ETE_P_EXCEPTION)
		make_exception(maker, packet);
	else if (type == CAIRN_ETE_P_EVENT)
		packet->number = (uint16_t)(1 + below(&maker->seed, 15));
	if (type >= CAIRN_ETE_P_CONTEXT && type <= CAIRN_ETE_P_ADDR_CTXT_64_IS1)
		make_context(maker, packet);
	if (type == CAIRN_ETE_P_INSTRUMENTATION) {
		packet->number = (uint16_t)below(&maker->seed, 4);
		packet->value = ete_random(&maker->seed);
	}
	if (type >= CAIRN_ETE_P_Q_MATCH && type <= CAIRN_ETE_P_Q_COUNT) {
		packet->count = some(&maker->seed, 12);
		packet->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
	return cairn_ete_packet_name(type) != NULL && type > CAIRN_ETE_P_PADDING;
}
