import type { CountedUses } from "../access-log/AccessLogStore.js"
import type { App } from "../apps/App.js"
import * as Purpose from "../purposes/Purpose.js"
import type { PurposeId, Scope } from "../shared/index.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/** How far back uses of an app are counted, in milliseconds (Spec §4.1). */
export const WINDOW = 90 * DAY

/** How many answers about a user an app got in the last 90 days, by purpose. */
export interface Uses {
  readonly since: Timestamp
  /**
   * The purposes for which the app got answers, most used first. After them come, with a count of 0, the other purposes
   * that the app could use now for a scope of the connection. The user sees the wording of a purpose and an id that
   * reveals nothing, and never the developer's key (Spec §2.4).
   */
  readonly byPurpose: ReadonlyArray<{ readonly id: PurposeId; readonly description: string; readonly count: number }>
  /** The number of answers without a purpose: answers to requests that need no sensitive scope. */
  readonly withoutPurpose: number
}

/** The beginning of the period of 90 days that ends at `now`. */
export const since = (now: Timestamp): Timestamp => plus(now, -WINDOW)

/**
 * The uses as the user reads them, with the present wordings of the purposes. `counted`: the counts since `since(now)`.
 * `purposes`: all purposes of the app, archived ones included. `heldScopes`: the scopes of the connection. A purpose
 * without uses is listed only when it covers one of these scopes.
 */
export const of = (
  counted: ReadonlyArray<CountedUses>,
  purposes: ReadonlyArray<Purpose.Purpose>,
  app: Pick<App, "status">,
  heldScopes: ReadonlyArray<Scope.Scope>,
  now: Timestamp
): Uses => {
  const used = counted.flatMap(({ count, purpose }) => {
    const known = purposes.find(({ key }) => key === purpose)
    return known === undefined ? [] : [{ id: known.id, description: Purpose.wording(known), count }]
  })
  const unused = Purpose.usable(purposes, app.status).filter(
    ({ id, terms }) => terms.scopes.some((scope) => heldScopes.includes(scope)) && !used.some((one) => one.id === id)
  )
  return {
    since: since(now),
    byPurpose: [...used, ...unused.map(({ id, terms }) => ({ id, description: terms.description, count: 0 }))],
    withoutPurpose: counted.find(({ purpose }) => purpose === null)?.count ?? 0
  }
}
