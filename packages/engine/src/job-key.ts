/** A periodic job has one instance in the engine. */
export const JOB_KEY = 'one';
