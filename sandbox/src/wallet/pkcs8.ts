/** PKCS #8 header before the 32 bytes of an ed25519 key, for browsers and Node. */
export const PKCS8_START = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);
