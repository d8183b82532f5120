import { budgetCases } from "./limits/budgets.js"
import { rateCases } from "./limits/rates.js"

/** Rules of `LimitStore`: exactly as many as allowed, and never a refusal before. */
export const limitStoreContract = [...rateCases, ...budgetCases]
