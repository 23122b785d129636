/** Exit codes of the command and of the local environment: the work failed, or wrong usage (`EX_USAGE` of sysexits). */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;
