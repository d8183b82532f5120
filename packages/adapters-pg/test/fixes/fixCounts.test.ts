import { describe } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"
import { fixCountLivesOn } from "../support/fixCountLives.js"

describe("the counts of fixes on the embedded database", () => {
  fixCountLivesOn(migratedEmbedded, 8)
})
