import { rateCases } from "./rates.js"
import { zoneQuestionCases } from "./zoneQuestions.js"

/** Rules that every `LimitStore` must keep: it allows exactly as many calls and questions as the limit says. */
export const limitStoreContract = [...rateCases, ...zoneQuestionCases]
