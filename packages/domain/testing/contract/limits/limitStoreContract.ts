import { rateCases } from "./rates.js"
import { zoneQuestionCases } from "./zoneQuestions.js"

/** Rules of `LimitStore`: it allows exactly the limit, and refuses nothing before the limit. */
export const limitStoreContract = [...rateCases, ...zoneQuestionCases]
