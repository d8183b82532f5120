import { rateCases } from "./rates.js"
import { zoneQuestionCases } from "./zoneQuestions.js"

/**
 * What every `LimitStore` must guarantee: it counts every call, and it allows exactly as many questions about zones as
 * the budget has.
 */
export const limitStoreContract = [...rateCases, ...zoneQuestionCases]
