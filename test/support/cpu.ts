// Time this process has computed, in ms: what other processes on the machine do does not count.
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
