import { Array } from "effect"
import type { App } from "../apps/App.js"
import { wanted } from "../apps/AppProposal.js"
import { Invalid, Problem } from "../shared/Errors.js"
import { normalise, type Scope, type SensitiveScope } from "../shared/Scope.js"

/**
 * The scopes that a purpose of the app may have: the declared scopes, and those that the developer proposes and a
 * reviewer has not approved yet. So a reviewer can read a new scope together with its purpose.
 */
export const available = (app: App): ReadonlyArray<Scope> => normalise([...app.declaredScopes, ...wanted(app).scopes])

/**
 * The error for a purpose with these scopes: an `Invalid` with one problem for each scope that is not `available`. The
 * problem names the scope by its index in `scopes`. Undefined when all scopes are available.
 */
export const refused = (scopes: ReadonlyArray<SensitiveScope>, app: App): Invalid | undefined => {
  const declared = available(app)
  const problems = scopes.flatMap((scope, index) =>
    declared.includes(scope)
      ? []
      : [new Problem({ field: `scopes[${index}]`, message: "is not one of the scopes that the app declares" })]
  )
  return Array.isNonEmptyReadonlyArray(problems) ? new Invalid({ problems }) : undefined
}
