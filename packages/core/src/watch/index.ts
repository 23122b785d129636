export * from './lookout.ts';
export { ALL_NETWORKS, forEachIsolated, type NoteFailure, noteFailures } from './note-failures.ts';
export * from './open-work.ts';
export type { PageLimits } from './page-limits.ts';
export { type JobRest, jobName, type PeriodicJob, watcherOf } from './periodic-job.ts';
export { type NodeHeads, probeNodes } from './probe-nodes.ts';
export { readIsolated } from './read-isolated.ts';
export { createWalk } from './walk-pages.ts';
export type { WatchBase, WatchLog, WatchLogEvent } from './watch-log.ts';
