// Numbers and keys as people read them. Each writes at `out` and returns where it stopped.
#pragma once
#include "runtime.h"

static const u8 HEX[16] = "0123456789abcdef";
static const u8 BASE58[58] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

#define PUT(out, words) put_bytes(out, (const u8 *)(words), sizeof(words) - 1)

static inline u8 *put_bytes(u8 *out, const u8 *bytes, u64 length) {
  copy(out, bytes, length);
  return out + length;
}

static inline u8 *put_hex(u8 *out, const u8 *bytes, u64 length) {
  for (u64 i = 0; i < length; i++) {
    *out++ = HEX[bytes[i] >> 4];
    *out++ = HEX[bytes[i] & 15];
  }
  return out;
}

/** `digits` is room for 20 of them. At least so many are written. */
static inline u8 *put_whole(u8 *out, u64 value, u64 at_least, u8 *digits) {
  u64 count = 0;
  for (; value > 0 || count < at_least; value /= 10) digits[count++] = (u8)('0' + value % 10);
  while (count > 0) *out++ = digits[--count];
  return out;
}

/** In whole tokens: no more places behind the point than needed, and no point without any. */
static inline u8 *put_amount(u8 *out, u64 atomic, u8 decimals, u8 *digits) {
  u64 unit = 1;
  for (u8 i = 0; i < decimals; i++) unit *= 10;
  out = put_whole(out, atomic / unit, 1, digits);
  u64 rest = atomic % unit;
  if (rest == 0) return out;
  *out++ = '.';
  out = put_whole(out, rest, decimals, digits);
  while (out[-1] == '0') out--;
  return out;
}

/** Five digits of base 58 at a time; they fit 32 bits. */
#define BASE58_FIVE 656356768UL
#define BASE58_GROUPS 9

/** `limbs` is room for 8, `digits` for 45. */
static inline u8 *put_key(u8 *out, const u8 *key, u32 *limbs, u8 *digits) {
  for (int i = 0; i < 8; i++)
    limbs[i] = (u32)key[4 * i] << 24 | (u32)key[4 * i + 1] << 16 | (u32)key[4 * i + 2] << 8 | key[4 * i + 3];
  for (int group = BASE58_GROUPS - 1; group >= 0; group--) {
    u64 rest = 0;
    for (int i = 0; i < 8; i++) {
      u64 value = rest << 32 | limbs[i];
      limbs[i] = (u32)(value / BASE58_FIVE);
      rest = value % BASE58_FIVE;
    }
    for (int i = 4; i >= 0; i--, rest /= 58) digits[5 * group + i] = (u8)(rest % 58);
  }
  u64 first = 0;
  while (first < 5 * BASE58_GROUPS && digits[first] == 0) first++;
  for (u64 i = 0; i < KEY && key[i] == 0; i++) *out++ = '1';
  for (; first < 5 * BASE58_GROUPS; first++) *out++ = BASE58[digits[first]];
  return out;
}
