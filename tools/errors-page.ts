// Writes docs/reference/errors.md from the catalogue. The page is committed; a test holds the two together.
import { writeFileSync } from 'node:fs';
import { ERRORS } from '@svc-pay/protocol/errors';

const rows = Object.entries(ERRORS).map(
  ([code, { status, retryable, actor, message }]) =>
    `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${actor} | ${message} |`,
);

const page = `# Errors

A refusal has one flat shape on every endpoint, see [Error](wire.md#error). Codes are stable: match on \`error\`, show
\`message\`. **Status 200** marks a business result that settle, confirm and relay answer inside their own body, with
\`status: "failed"\`. **Retry** says whether the same request may succeed later without being changed.

| Code | Status | Retry | Who can act | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;

writeFileSync(new URL('../docs/reference/errors.md', import.meta.url), page);
