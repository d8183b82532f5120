import { budgetCases } from "./limits/budgets.js"

/** Rules of `LimitStore`: exactly as many as allowed, and never a refusal before. */
export const limitStoreContract = [...budgetCases]
