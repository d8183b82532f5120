// Forms that were opened before the last change (decision apps-11).

/**
 * The reason of the `Conflict` when a form was opened before the last change and would undo that change. Only the forms
 * of pages send the state that they showed, because a form sends all fields. A caller of the JSON API sends only the
 * fields that it wants to change.
 */
export const OUTDATED_FORM = "it was changed since the form was opened"

/**
 * The state that a form showed, for example a revision. "unchecked": the caller sent no form, and nothing is compared.
 * There is no default value, so that a page cannot forget to pass what it showed.
 */
export type ShownState<State> = State | "unchecked"

/**
 * Whether a form is out of date: both the state that the form showed (`shown`) and the state after the form's change
 * (`after`) differ from the present state. A form that changes nothing is never out of date, so a button that is
 * pressed twice does no harm. When `after` is undefined, the form does not change this state, and the form is not out
 * of date.
 */
export const isOutdatedForm = <State>(
  isPresent: (state: State) => boolean,
  shown: ShownState<State>,
  after: State | undefined
): boolean => shown !== "unchecked" && [shown, after].every((state) => state !== undefined && !isPresent(state))

/** Whether the form showed another revision than the present one. */
export const isOutdatedRevision = ({ revision }: { readonly revision: number }, shown: ShownState<number>): boolean =>
  shown !== "unchecked" && shown !== revision
