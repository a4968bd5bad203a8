/** Returns the domain of AWS's services in `region`: China has its own. */
export function awsDomain(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
