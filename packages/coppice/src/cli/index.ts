// `coppice/cli`: the names that other packages may import. A list only.

export { configurationLine, configurationOf, help, readBench } from './commands/bench/bench-options.ts';
export { namedOf } from './commands/doctor/doctor-options.ts';
export { helpAsked } from './flags/help.ts';
export { modelFlags, readModelFlags, serverFlags } from './flags/model-flags.ts';
export { readArguments } from './flags/options.ts';
export { chooseQuestions } from './flags/question-flags.ts';
export { settingHelp } from './flags/setting-help.ts';
export { readSearchArguments, readSettings, setFlag } from './flags/settings.ts';
