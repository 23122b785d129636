/** SQL: a row bound to one relayer belongs to that lane; all others are shared out by number. Count, index and relayer. */
export const IN_SHARE = '(case when bound_relayer is null then number % $2 = $3 else bound_relayer = $6 end)';
