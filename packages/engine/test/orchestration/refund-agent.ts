export default (): string => "refunded";
