import type { Uses as Counted } from "../access-log/AccessLogStore.js"
import type { App } from "../apps/App.js"
import * as Purpose from "../purposes/Purpose.js"
import type { PurposeId } from "../shared/Ids.js"
import type * as Scope from "../shared/Scope.js"
import { DAY, plus, type Timestamp } from "../shared/Timestamp.js"

/** How far back uses are counted (Spec §4.1). */
export const WINDOW = 90 * DAY

/** How often an app was answered about a user lately, in the purposes' own words. */
export interface Uses {
  readonly since: Timestamp
  /**
   * Purposes under which it was answered, most used first, then those that it could have used and did not: by an id that says
   * nothing and their words, because users never see keys (Spec §2.4).
   */
  readonly byPurpose: ReadonlyArray<{ readonly id: PurposeId; readonly description: string; readonly count: number }>
  /** Under no purpose: everything that discloses no coordinates. */
  readonly withoutPurpose: number
}

/** From when on uses are counted. */
export const since = (now: Timestamp): Timestamp => plus(now, -WINDOW)

/** `counted` since `since(now)`; `purposes` are all of the app's, archived ones too. */
export const of = (
  counted: ReadonlyArray<Counted>,
  purposes: ReadonlyArray<Purpose.Purpose>,
  app: Pick<App, "status">,
  held: ReadonlyArray<Scope.Scope>,
  now: Timestamp
): Uses => {
  const used = counted.flatMap(({ count, purpose }) => {
    const known = purposes.find(({ key }) => key === purpose)
    return known === undefined ? [] : [{ id: known.id, description: Purpose.wording(known), count }]
  })
  const unused = Purpose.usable(purposes, app.status).filter(
    ({ id, terms }) => terms.scopes.some((scope) => held.includes(scope)) && !used.some((one) => one.id === id)
  )
  return {
    since: since(now),
    byPurpose: [...used, ...unused.map(({ id, terms }) => ({ id, description: terms.description, count: 0 }))],
    withoutPurpose: counted.find(({ purpose }) => purpose === null)?.count ?? 0
  }
}
