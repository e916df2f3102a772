import { runLane } from './model/run.ts'

runLane(1)
