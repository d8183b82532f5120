import * as ruleSteps from "./ruleSteps.js"

// Figures of one machine at one moment: what travels is the ratio to the bare loop of the same run.
console.log(ruleSteps.report())
