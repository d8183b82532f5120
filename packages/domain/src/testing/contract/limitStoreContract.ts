import { rateCases } from "./limits/rates.js"
import { zoneQuestionCases } from "./limits/zoneQuestions.js"

/** Rules of `LimitStore`: exactly as many as allowed, and never a refusal before. */
export const limitStoreContract = [...rateCases, ...zoneQuestionCases]
