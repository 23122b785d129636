// What a program on Solana is given: accounts, instructions, and the calls into the runtime that this one makes.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

typedef struct { const u8 *at; u64 length; } Slice;
typedef struct { const Slice *seeds; u64 count; } SignerSeeds;
typedef struct {
  u8 *key;
  u64 *lamports;
  u64 data_length;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 is_signer, is_writable, executable;
} Account;
typedef struct { u8 *key; u8 is_writable, is_signer; } Meta;
typedef struct { const u8 *program; const Meta *metas; u64 meta_count; const u8 *data; u64 data_length; } Instruction;
typedef struct { u64 slot; i64 epoch_start; u64 epoch, leader_epoch; i64 unix_seconds; } Clock;

extern u64 sol_log_(const char *, u64);
extern u64 sol_sha256(const Slice *, u64, u8 *);
extern u64 sol_get_clock_sysvar(Clock *);
extern u64 sol_get_stack_height(void);
extern u64 sol_create_program_address(const Slice *, u64, const u8 *, u8 *);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, u64, const SignerSeeds *, u64);

/** Where the loader maps 32 KiB that begin as zeros: the stack of this target holds 512 bytes. */
#define HEAP 0x300000000UL
#define KEY 32

static inline int same(const u8 *one, const u8 *other, u64 length) {
  for (u64 i = 0; i < length; i++)
    if (one[i] != other[i]) return 0;
  return 1;
}

static inline void copy(u8 *to, const u8 *from, u64 length) {
  for (u64 i = 0; i < length; i++) to[i] = from[i];
}

static inline u16 read16(const u8 *at) { return (u16)(at[0] | at[1] << 8); }

static inline u64 read64(const u8 *at) {
  u64 value = 0;
  for (int i = 7; i >= 0; i--) value = value << 8 | at[i];
  return value;
}
