// Keys of a local Internet Computer: a root key, a subnet key that the root key vouches for, and a node key that signs the
// answers to queries.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Principal } from '@icp-sdk/core/principal';
import { bls12_381 as bls } from '@noble/curves/bls12-381';

/** What stands before a BLS12-381 key in its DER form. */
const BLS_DER = Buffer.from('308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100', 'hex');

export type BlsKey = { readonly der: Uint8Array; readonly sign: (message: Uint8Array) => Uint8Array };

export type NodeKey = { readonly id: Uint8Array; readonly der: Uint8Array; readonly privateKey: KeyObject };

export function drawBlsKey(): BlsKey {
  const secret = bls.utils.randomPrivateKey();
  return {
    der: Uint8Array.from(Buffer.concat([BLS_DER, bls.getPublicKeyForShortSignatures(secret)])),
    sign: (message) => bls.signShortSignature(message, secret),
  };
}

export function drawNodeKey(): NodeKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const der = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
  return { id: Principal.selfAuthenticating(der).toUint8Array(), der, privateKey };
}

/** A domain of the Internet Computer's signatures, with its length before it. */
export const domain = (name: string): Uint8Array => Buffer.concat([Uint8Array.of(name.length), Buffer.from(name)]);
