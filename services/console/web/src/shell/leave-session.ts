/** Loads the sign-in anew: nothing that the session had read stays in memory, where Back would show it. */
export const leaveSession = (): void => location.assign('/sign-in');
