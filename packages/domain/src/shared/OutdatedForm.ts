// Forms that were opened before the last change (decision apps-11).

/**
 * The reason of the `Conflict` when a form was opened before the last change and would undo that change. Only pages say
 * what they showed; the JSON API does not.
 */
export const OUTDATED_FORM = "it was changed since the form was opened"

/**
 * Whether a form showed another state than the present one, and would change the present one to `after`. A form that
 * changes nothing is never outdated, so a button that is pressed twice does no harm. `undefined` in place of `shown`:
 * nobody said what was shown, so nothing is checked; in place of `after`: the form leaves the state as it is.
 */
export const isOutdatedForm = <State>(
  isPresent: (state: State) => boolean,
  shown: State | undefined,
  after: State | undefined
): boolean => [shown, after].every((state) => state !== undefined && !isPresent(state))
