import { describe } from "vitest"
import { credentialLivesOn } from "../support/credentialLives.js"
import { migratedEmbedded } from "../support/embedded.js"

describe("generated lives of an account on the embedded database", () => credentialLivesOn(migratedEmbedded, 20))
