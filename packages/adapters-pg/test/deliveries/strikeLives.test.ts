import { describe } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"
import { strikeLivesOn } from "../support/strikeLives.js"

describe("generated lives of endpoints on the embedded database", () => strikeLivesOn(migratedEmbedded, 15))
