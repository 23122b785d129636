import { post } from './post.ts';

/** Wakes a drain. Cheap, and never more than a hint: what it was woken for stands in the database. */
export async function wakeDrain(ingressUrl: string, name: string, key: string): Promise<void> {
  await post(`${ingressUrl}/${name}/${encodeURIComponent(key)}/drain/send`);
}
