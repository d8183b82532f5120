import { Array } from "effect"
import type { App } from "../apps/App.js"
import { wanted } from "../apps/AppProposal.js"
import { Invalid, Problem } from "../shared/Errors.js"
import { normalise, type Scope, type SensitiveScope } from "../shared/Scope.js"

/** A purpose's possible scopes: declared, or in review, so that scope and purpose are reviewed together. */
export const available = (app: App): ReadonlyArray<Scope> => normalise([...app.declaredScopes, ...wanted(app).scopes])

/** A problem for each scope that is not available, by its index; undefined when all are. */
export const refused = (scopes: ReadonlyArray<SensitiveScope>, app: App): Invalid | undefined => {
  const declared = available(app)
  const problems = scopes.flatMap((scope, index) =>
    declared.includes(scope)
      ? []
      : [new Problem({ field: `scopes[${index}]`, message: "is not one of the scopes that the app declares" })]
  )
  return Array.isNonEmptyReadonlyArray(problems) ? new Invalid({ problems }) : undefined
}
