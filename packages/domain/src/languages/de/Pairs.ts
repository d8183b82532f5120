import type { GermanPair } from "../GermanPair.js"
import { accountMails } from "./AccountMails.js"
import { appMails } from "./AppMails.js"
import { connectionMails } from "./ConnectionMails.js"
import { disclosures } from "./Disclosures.js"
import { factorMails } from "./FactorMails.js"
import { faults } from "./Faults.js"
import { logEntries } from "./LogEntries.js"
import { network } from "./Network.js"
import { refusals } from "./Refusals.js"
import { scopes } from "./Scopes.js"
import { teamTexts } from "./TeamTexts.js"

/** All texts of the domain, each with its German translation. */
export const pairs: ReadonlyArray<GermanPair> = [
  ...accountMails,
  ...factorMails,
  ...connectionMails,
  ...appMails,
  ...scopes,
  ...disclosures,
  ...logEntries,
  ...faults,
  ...refusals,
  ...network,
  ...teamTexts
]
