import { describe } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"
import { factorLivesOn } from "../support/factorLives.js"

describe("generated lives of second factors on the embedded database", () => factorLivesOn(migratedEmbedded, 12))
