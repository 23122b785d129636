// Whether a client wants a page. Browsers name HTML and XHTML and rate nothing higher; programs name JSON or, by the range of all
// types, nothing at all. Java's HttpURLConnection names HTML when nobody has told it what to accept, and no XHTML.

/** Whether a client prefers a page: it names HTML and XHTML, and rates HTML above JSON. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const html = ratingOf(accept, 'text/html');
  return html > 0 && ratingOf(accept, 'application/xhtml+xml') > 0 && html > ratingOf(accept, 'application/json');
}

const RATING = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** 0 for a type that is not named. A rating that can't be read counts as none given. */
function ratingOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (name.toLowerCase() !== type) continue;
    const rating = parameters.map((parameter) => RATING.exec(parameter)?.[1]).find((found) => found !== undefined);
    return Number(rating ?? '1');
  }
  return 0;
}
