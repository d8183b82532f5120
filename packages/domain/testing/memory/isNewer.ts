import type { PagePosition } from "../../src/shared/Page.js"

/**
 * Whether an item comes after the position in a list with the oldest first: its time is later, or it has the same time
 * and a greater id. The first two entries of `position` are time and id. When `position` is undefined, the result is
 * true for every item.
 */
export const isNewer = (at: number, id: string, position: PagePosition | undefined): boolean =>
  position === undefined || at > Number(position[0]) || (at === position[0] && id > String(position[1]))
