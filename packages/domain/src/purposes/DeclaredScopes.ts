import { Array } from "effect"
import type { App } from "../apps/App.js"
import { wanted } from "../apps/AppProposal.js"
import { Invalid, Problem } from "../shared/Invalid.js"
import { normalise, type Scope, type SensitiveScope } from "../shared/Scope.js"

/**
 * The scopes that a purpose can be for: those that its app declares, and those that wait for a reviewer, so that the scope and
 * what it is for can be reviewed together.
 */
export const available = (app: App): ReadonlyArray<Scope> => normalise([...app.declaredScopes, ...wanted(app).scopes])

/** Each scope that is not among them is named by its place. Undefined when all are. */
export const refused = (scopes: ReadonlyArray<SensitiveScope>, app: App): Invalid | undefined => {
  const declared = available(app)
  const problems = scopes.flatMap((scope, index) =>
    declared.includes(scope)
      ? []
      : [new Problem({ field: `scopes[${index}]`, message: "is not one of the scopes that the app declares" })]
  )
  return Array.isNonEmptyReadonlyArray(problems) ? new Invalid({ problems }) : undefined
}
