// Opens the API for a merchant's command, and reports missing settings.
import { Option } from 'commander';
import type { Input } from '../command/context.ts';
import { misconfigured } from '../command/with-operation.ts';
import { type CommandOutcome, misused } from '../output/outcome.ts';
import { readMerchantConfig } from './config.ts';
import { createMerchantApi, type MerchantApi } from './merchant-api.ts';

export type MerchantOptions = { readonly apiUrl?: string };
export type OpenedApi = { readonly api: MerchantApi; readonly apiUrl: string; readonly secretKey: string };

export const apiUrlOption = () =>
  new Option('--api-url <address>', 'base address of the API (default: SVC_API_URL, or http://127.0.0.1:8402)');

export async function withMerchantApi(
  { options, context }: Input<MerchantOptions>,
  work: (opened: OpenedApi) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  if (options.apiUrl !== undefined && !isPlainAddress(options.apiUrl))
    return misused('--api-url takes an http or https address, without user and password.');
  const read = readMerchantConfig(context.environment, options.apiUrl);
  if (!read.ok) return misconfigured(read.problems);
  const { apiUrl, secretKey } = read.config;
  return work({ api: createMerchantApi(apiUrl, secretKey), apiUrl, secretKey });
}

/** Refuses URLs with credentials: every user of the machine can read a command line. */
export function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
