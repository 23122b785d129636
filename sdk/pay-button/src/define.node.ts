/** Where pages are made on a server there are no elements: the tag is written, and comes to life in the browser. */
export function defineElement(_tagName: string): void {}
