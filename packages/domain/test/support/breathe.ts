import { beforeEach } from "vitest"
import { breath } from "./breath.js"

/**
 * Vitest hears from a worker by messages, and gives the worker up when none comes for a minute. Thousands of properties one after the other
 * leave no moment for a message, on a machine that is busy with others: so each test begins with one.
 */
beforeEach(breath)
