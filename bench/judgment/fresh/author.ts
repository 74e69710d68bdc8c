// The third split: written by another hand than the other two, frozen before anything was measured on it. No judge is to be tuned on it.
import type { Fault } from '../twin.ts';
import type { Pack } from '../packs.ts';
import { COMPILED } from './packs-compiled.ts';
import { SCRIPTED } from './packs-scripted.ts';
import { freshCommandFaults } from './scenes-commands.ts';
import { freshMeaningFaults } from './scenes-meaning.ts';
import { freshNeighbourFaults } from './scenes-neighbours.ts';
import { freshTestFaults } from './scenes-tests.ts';

/** Compiled and scripted projects in turn. */
export const FRESH_PACKS: readonly Pack[] = COMPILED.flatMap((pack, at) => [pack, ...SCRIPTED.slice(at, at + 1)]);

export const FRESH_FAULTS: readonly Fault[] = [...freshCommandFaults, ...freshTestFaults, ...freshNeighbourFaults, ...freshMeaningFaults];
