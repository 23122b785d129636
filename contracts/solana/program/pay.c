// Pays out of a token account whose owner approved this program's delegate, by that owner's signature under a text. The
// signature stands in the instruction before this one, where the runtime has verified it; here the text is written down
// again from what the transaction is about to do, and must come out the same. Each text pays once: its receipt remains
// until its time is over, and is closed then for the rent.
#include "text.h"

static const u8 ED25519[KEY] = {3, 125, 70, 214, 124, 147, 251, 190, 18, 249, 66, 143, 131, 141, 64, 255,
                                5, 112, 116, 73, 39, 244, 138, 100, 252, 202, 112, 68, 128, 0, 0, 0};
static const u8 INSTRUCTIONS[KEY] = {6, 167, 213, 23, 24, 123, 209, 102, 53, 218, 212, 4, 85, 253, 194, 192,
                                     193, 36, 198, 143, 33, 86, 117, 165, 219, 186, 203, 95, 8, 0, 0, 0};
static const u8 TOKEN[KEY] = {6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172,
                              28, 180, 133, 237, 95, 91, 55, 145, 58, 140, 245, 133, 126, 255, 0, 169};
static const u8 TOKEN_2022[KEY] = {6, 221, 246, 225, 238, 117, 143, 222, 24, 66, 93, 188, 228, 108, 205, 218,
                                   182, 26, 252, 77, 131, 185, 13, 39, 254, 189, 249, 40, 216, 161, 139, 252};
static const u8 SYSTEM[KEY] = {0};
static const u8 DOMAIN[9] = "svc-pay-1";
static const u8 DELEGATE_SEED[8] = "delegate";
static const u8 RECEIPT_SEED[7] = "receipt";

enum { PAY = 0, CLOSE = 1 };
enum { MOST_LEGS = 8, FIRST_LEG = 8, MOST_ACCOUNTS = FIRST_LEG + MOST_LEGS, MOST_REFERENCE = 40 };
/** Of an account without data. */
#define RECEIPT_LAMPORTS 890880UL
/** A text that is over stays over: the chain's time never goes back on one fork. This is for good measure. */
#define CLOSE_AFTER_SECONDS 60L

enum {
  E_ACCOUNTS = 7001, E_PROGRAMS, E_DATA, E_SOURCE, E_WINDOW, E_NO_EVIDENCE, E_SIGNER, E_TEXT, E_RECEIPT, E_USED, E_OPEN,
  E_NESTED
};
#define REFUSE(code, words) do { sol_log_(words, sizeof(words) - 1); return code; } while (0)

typedef struct {
  u64 count, data_length;
  u8 *data, *program;
  Account accounts[MOST_ACCOUNTS];
  Meta metas[4];
  Instruction call;
  Slice slices[8];
  SignerSeeds signer;
  Clock clock;
  u32 limbs[8];
  u8 digits[48], digest[KEY], address[KEY], call_data[48], legs[40 * MOST_LEGS], text[512];
} World;

/** Where an instruction to pay names what. */
enum { RELAYER, SOURCE, MINT, DELEGATE, RECEIPT, TOKEN_PROGRAM, SYSTEM_PROGRAM, SYSVAR };
/** And where its data does; after the amounts comes the reference. */
enum { AT_DELEGATE_BUMP = 1, AT_RECEIPT_BUMP, AT_LEGS, AT_AFTER, AT_BEFORE = 12, AT_NONCE = 20, AT_AMOUNTS = 52 };

static inline u64 read_input(World *w, u8 *at) {
  w->count = *(u64 *)at;
  at += 8;
  if (w->count > MOST_ACCOUNTS) REFUSE(E_ACCOUNTS, "too many accounts");
  for (u64 i = 0; i < w->count; i++) {
    if (*at != 0xff) REFUSE(E_ACCOUNTS, "an account twice");
    Account *a = &w->accounts[i];
    a->is_signer = at[1];
    a->is_writable = at[2];
    a->executable = at[3];
    a->key = at + 8;
    a->owner = at + 40;
    a->lamports = (u64 *)(at + 72);
    a->data_length = *(u64 *)(at + 80);
    a->data = at + 88;
    // The loader leaves room to grow, and keeps to eight bytes.
    at = (u8 *)(((u64)a->data + a->data_length + 10240 + 7) & ~7UL);
    a->rent_epoch = *(u64 *)at;
    at += 8;
  }
  w->data_length = *(u64 *)at;
  w->data = at + 8;
  w->program = w->data + w->data_length;
  return 0;
}

static inline int is_token_account(const Account *a, const u8 *token_program) {
  return same(a->owner, token_program, KEY) && a->data_length >= 165;
}

/** Seeds of a receipt: whatever else a text says, with the same of these it is the same receipt. */
static inline u64 receipt_seeds(World *w, const u8 *payer, const u8 *relayer, const u8 *nonce, const u8 *before, const u8 *bump) {
  w->slices[0] = (Slice){RECEIPT_SEED, sizeof RECEIPT_SEED};
  w->slices[1] = (Slice){payer, KEY};
  w->slices[2] = (Slice){relayer, KEY};
  w->slices[3] = (Slice){nonce, KEY};
  w->slices[4] = (Slice){before, 8};
  w->slices[5] = (Slice){bump, 1};
  w->signer = (SignerSeeds){w->slices, 6};
  return sol_create_program_address(w->slices, 6, w->program, w->address);
}

/**
 * Digest of everything that the text does not spell out. The receipt's bump is part of it: about half of all bumps give a
 * valid receipt address, and without the bump one signed text pays once for each of them.
 */
static inline void digest_terms(World *w, u64 legs) {
  Account *a = w->accounts;
  for (u64 i = 0; i < legs; i++) {
    copy(w->legs + 40 * i, a[FIRST_LEG + i].key, KEY);
    copy(w->legs + 40 * i + KEY, w->data + AT_AMOUNTS + 8 * i, 8);
  }
  w->slices[0] = (Slice){DOMAIN, sizeof DOMAIN};
  w->slices[1] = (Slice){w->program, KEY};
  w->slices[2] = (Slice){a[RELAYER].key, KEY};
  w->slices[3] = (Slice){a[SOURCE].key, KEY};
  w->slices[4] = (Slice){a[MINT].key, KEY};
  w->slices[5] = (Slice){a[TOKEN_PROGRAM].key, KEY};
  // The receipt's bump, the number of legs, the time window and the nonce.
  w->slices[6] = (Slice){w->data + AT_RECEIPT_BUMP, AT_AMOUNTS - AT_RECEIPT_BUMP};
  w->slices[7] = (Slice){w->legs, 40 * legs};
  sol_sha256(w->slices, 8, w->digest);
}

/** Length of the text that the payer must have signed. */
static inline u64 write_text(World *w, u64 total, u64 legs, u64 reference_length) {
  Account *a = w->accounts;
  digest_terms(w, legs);
  u8 *out = PUT(w->text, "SVC_X402_V2:\npay ");
  out = put_amount(out, total, a[MINT].data[44], w->digits);
  out = PUT(out, "\ntoken ");
  out = put_key(out, a[MINT].key, w->limbs, w->digits);
  out = PUT(out, "\nto ");
  out = put_key(out, a[FIRST_LEG].data + KEY, w->limbs, w->digits);
  out = PUT(out, "\nfor ");
  out = put_bytes(out, w->data + AT_AMOUNTS + 8 * legs, reference_length);
  out = PUT(out, "\nbefore ");
  out = put_whole(out, read64(w->data + AT_BEFORE), 1, w->digits);
  out = PUT(out, "\nterms ");
  out = put_hex(out, w->digest, KEY);
  return (u64)(out - w->text);
}

/** The instruction before must be one signature of the payer under the text, with all that it speaks of inside itself. */
static inline u64 check_evidence(World *w, const u8 *payer, u64 length) {
  const Account *sysvar = &w->accounts[SYSVAR];
  u16 current = read16(sysvar->data + sysvar->data_length - 2);
  if (current == 0) REFUSE(E_NO_EVIDENCE, "no evidence");
  const u8 *at = sysvar->data + read16(sysvar->data + 2 * current);
  at += 2 + 33UL * read16(at);
  if (!same(at, ED25519, KEY)) REFUSE(E_NO_EVIDENCE, "no evidence");
  u64 data_length = read16(at + KEY);
  at += KEY + 2;
  if (data_length < 112 || at[0] != 1 || read16(at + 2) != 48 || read16(at + 4) != 0xffff || read16(at + 6) != 16 ||
      read16(at + 8) != 0xffff || read16(at + 10) != 112 || read16(at + 12) != data_length - 112 || read16(at + 14) != 0xffff)
    REFUSE(E_NO_EVIDENCE, "evidence in another form");
  if (!same(at + 16, payer, KEY)) REFUSE(E_SIGNER, "signed by another");
  if (data_length - 112 != length || !same(at + 112, w->text, length)) REFUSE(E_TEXT, "another text was signed");
  return 0;
}

static inline u64 invoke(World *w, const u8 *program, u64 metas, u64 data_length) {
  w->call = (Instruction){program, w->metas, metas, w->call_data, data_length};
  return sol_invoke_signed_c(&w->call, w->accounts, w->count, &w->signer, 1);
}

/** Money that a stranger put there before is no obstacle: what lacks is added, and the account becomes ours. */
static inline u64 make_receipt(World *w) {
  Account *a = w->accounts;
  u64 held = *a[RECEIPT].lamports;
  if (held < RECEIPT_LAMPORTS) {
    u64 lacking = RECEIPT_LAMPORTS - held;
    for (int i = 0; i < 12; i++) w->call_data[i] = i == 0 ? 2 : 0;
    copy(w->call_data + 4, (u8 *)&lacking, 8);
    w->metas[0] = (Meta){a[RELAYER].key, 1, 1};
    w->metas[1] = (Meta){a[RECEIPT].key, 1, 0};
    u64 refused = invoke(w, SYSTEM, 2, 12);
    if (refused) return refused;
  }
  for (int i = 0; i < 4; i++) w->call_data[i] = i == 0 ? 1 : 0;
  copy(w->call_data + 4, w->program, KEY);
  w->metas[0] = (Meta){a[RECEIPT].key, 1, 1};
  return invoke(w, SYSTEM, 1, 36);
}

static inline u64 transfer_leg(World *w, u64 leg) {
  Account *a = w->accounts;
  w->slices[0] = (Slice){DELEGATE_SEED, sizeof DELEGATE_SEED};
  w->slices[1] = (Slice){w->data + AT_DELEGATE_BUMP, 1};
  w->signer = (SignerSeeds){w->slices, 2};
  w->call_data[0] = 12;
  copy(w->call_data + 1, w->data + AT_AMOUNTS + 8 * leg, 8);
  w->call_data[9] = a[MINT].data[44];
  w->metas[0] = (Meta){a[SOURCE].key, 1, 0};
  w->metas[1] = (Meta){a[MINT].key, 0, 0};
  w->metas[2] = (Meta){a[FIRST_LEG + leg].key, 1, 0};
  w->metas[3] = (Meta){a[DELEGATE].key, 0, 1};
  return invoke(w, a[TOKEN_PROGRAM].key, 4, 10);
}

/** Letters, digits, `_` and `-`: nothing that could make the text say something else. */
static inline int is_plain(const u8 *words, u64 length) {
  for (u64 i = 0; i < length; i++) {
    u8 c = words[i], low = c | 32;
    if (!((low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return 0;
  }
  return 1;
}

static inline u64 pay(World *w) {
  Account *a = w->accounts;
  const u8 *data = w->data;
  if (sol_get_stack_height() != 1) REFUSE(E_NESTED, "called by another program");
  if (w->data_length < AT_AMOUNTS || w->count <= FIRST_LEG) REFUSE(E_DATA, "too little");
  u64 legs = data[AT_LEGS];
  if (w->count != FIRST_LEG + legs || w->data_length <= AT_AMOUNTS + 8 * legs) REFUSE(E_DATA, "legs");
  u64 reference_length = w->data_length - AT_AMOUNTS - 8 * legs;
  if (reference_length > MOST_REFERENCE || !is_plain(data + AT_AMOUNTS + 8 * legs, reference_length))
    REFUSE(E_DATA, "reference");
  const u8 *token_program = a[TOKEN_PROGRAM].key;
  if ((!same(token_program, TOKEN, KEY) && !same(token_program, TOKEN_2022, KEY)) ||
      !same(a[SYSVAR].key, INSTRUCTIONS, KEY) || !same(a[SYSTEM_PROGRAM].key, SYSTEM, KEY))
    REFUSE(E_PROGRAMS, "programs");
  if (!a[RELAYER].is_signer) REFUSE(E_ACCOUNTS, "the relayer has not signed");
  // More places than 64 bits hold could not be written.
  if (!same(a[MINT].owner, token_program, KEY) || a[MINT].data_length < 82 || a[MINT].data[44] > 18)
    REFUSE(E_SOURCE, "mint");
  if (!is_token_account(&a[SOURCE], token_program) || !same(a[SOURCE].data, a[MINT].key, KEY) ||
      !is_token_account(&a[FIRST_LEG], token_program))
    REFUSE(E_SOURCE, "token account");
  const u8 *payer = a[SOURCE].data + KEY;

  i64 after = (i64)read64(data + AT_AFTER), before = (i64)read64(data + AT_BEFORE);
  sol_get_clock_sysvar(&w->clock);
  if (before < 0 || w->clock.unix_seconds <= after || w->clock.unix_seconds >= before)
    REFUSE(E_WINDOW, "outside its time");

  u64 total = 0;
  for (u64 i = 0; i < legs; i++) {
    u64 amount = read64(data + AT_AMOUNTS + 8 * i);
    if (amount == 0 || total + amount < total) REFUSE(E_DATA, "amounts");
    total += amount;
  }
  u64 refused = check_evidence(w, payer, write_text(w, total, legs, reference_length));
  if (refused) return refused;

  if (receipt_seeds(w, payer, a[RELAYER].key, data + AT_NONCE, data + AT_BEFORE, data + AT_RECEIPT_BUMP) ||
      !same(w->address, a[RECEIPT].key, KEY))
    REFUSE(E_RECEIPT, "receipt");
  if (same(a[RECEIPT].owner, w->program, KEY)) REFUSE(E_USED, "paid before");
  refused = make_receipt(w);
  for (u64 i = 0; i < legs && !refused; i++) refused = transfer_leg(w, i);
  return refused;
}

/** By anybody, and always to the relayer that paid the rent. */
static inline u64 close(World *w) {
  enum { TO = 1, AT_BUMP = 1, AT_END = 2, AT_ITS_NONCE = 10, AT_PAYER = 42, LENGTH = 74 };
  Account *a = w->accounts;
  const u8 *data = w->data;
  if (w->count != 2 || w->data_length != LENGTH) REFUSE(E_DATA, "close");
  if (!same(a[0].owner, w->program, KEY)) REFUSE(E_RECEIPT, "no receipt");
  if (receipt_seeds(w, data + AT_PAYER, a[TO].key, data + AT_ITS_NONCE, data + AT_END, data + AT_BUMP) ||
      !same(w->address, a[0].key, KEY))
    REFUSE(E_RECEIPT, "receipt");
  sol_get_clock_sysvar(&w->clock);
  if (w->clock.unix_seconds - CLOSE_AFTER_SECONDS < (i64)read64(data + AT_END)) REFUSE(E_OPEN, "its time is not over");
  *a[TO].lamports += *a[0].lamports;
  *a[0].lamports = 0;
  return 0;
}

u64 entrypoint(u8 *input) {
  World *w = (World *)HEAP;
  u64 refused = read_input(w, input);
  if (refused) return refused;
  if (w->data_length == 0) REFUSE(E_DATA, "nothing to do");
  if (w->data[0] == PAY) return pay(w);
  if (w->data[0] == CLOSE) return close(w);
  REFUSE(E_DATA, "unknown deed");
}
