// Nothing lost, nothing twice without a recorded cause, and a log that tells the truth. Imports nothing of what it checks.
import { checkDelivery } from './check-delivery.ts';
import { type Evidence, readEvidence } from './evidence.ts';

export type Verdict = {
  readonly deliveries: number;
  readonly arrivals: number;
  readonly lost: number;
  readonly unexplainedDuplicates: number;
  /** Arrivals beyond the first of their delivery. */
  readonly duplicates: number;
  readonly problems: readonly string[];
};

export async function checkDeliveries(databaseUrl: string, receiverLog: string, history: string): Promise<Verdict> {
  return judge(await readEvidence(databaseUrl, receiverLog, history));
}

function judge(evidence: Evidence): Verdict {
  const { deliveries, events, emitted, strayArrivals } = evidence;
  const findings = deliveries.map((delivery) => ({ delivery, ...checkDelivery(delivery, evidence) }));
  const counted = (of: (finding: (typeof findings)[number]) => number) =>
    findings.reduce((sum, finding) => sum + of(finding), 0);
  const vanished = emitted.filter((id) => !events.has(id)).length;
  return {
    deliveries: deliveries.length,
    arrivals: counted(({ delivery }) => delivery.arrivals.length),
    lost: vanished + findings.filter(({ lost }) => lost).length,
    unexplainedDuplicates: counted(({ unexplained }) => unexplained),
    duplicates: counted(({ delivery }) => Math.max(0, delivery.arrivals.length - 1)),
    problems: [
      ...(strayArrivals > 0 ? [`${strayArrivals} arrivals that belong to no delivery`] : []),
      ...findings.flatMap(({ delivery, problems }) =>
        problems.map((problem) => `${delivery.event} to ${delivery.endpoint}: ${problem}`),
      ),
      ...checkSequences(evidence),
    ],
  };
}

/** Per intent and endpoint: what arrived, sorted by its header, is 1, 2, 3 and so on. */
function checkSequences({ deliveries, events }: Evidence): string[] {
  const arrived = deliveries.filter(({ arrivals }) => arrivals.length > 0);
  const lines = Map.groupBy(arrived, ({ event, endpoint }) => `${events.get(event)?.intent} ${endpoint}`);
  return [...lines].flatMap(([line, members]) => {
    const sequences = members
      .map(({ arrivals }) => Number(arrivals[0]?.sequence))
      .toSorted((one, other) => one - other);
    return sequences.every((sequence, index) => sequence === index + 1)
      ? []
      : [`intent ${line}: arrived as ${sequences.join(', ')}`];
  });
}
