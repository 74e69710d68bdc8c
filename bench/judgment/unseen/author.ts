// Sixth split: all its faults.
import type { Fault } from '../twin.ts';
import { unseenFailureFaults } from './scenes-failures.ts';
import { unseenNeighbourFaults } from './scenes-neighbours.ts';
import { unseenTestFaults } from './scenes-tests.ts';

export const UNSEEN_FAULTS: readonly Fault[] = [...unseenFailureFaults, ...unseenTestFaults, ...unseenNeighbourFaults];
