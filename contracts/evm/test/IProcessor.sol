// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccessControlEnumerable} from "@openzeppelin/contracts/access/extensions/IAccessControlEnumerable.sol";
import {IPaymentProcessor} from "../src/interfaces/IPaymentProcessor.sol";

/// @dev The processor as tests see it. They deploy it by name and import no implementation, so that a change to one
/// compiles in seconds: forge then rebuilds the processor and leaves the tests alone.
interface IProcessor is IPaymentProcessor, IAccessControlEnumerable {
    function OPERATOR_ROLE() external view returns (bytes32);
    function REGISTRAR_ROLE() external view returns (bytes32);
    function GUARDIAN_ROLE() external view returns (bytes32);
    function RECOVERY_ROLE() external view returns (bytes32);
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
    function getRoleMembers(bytes32 role) external view returns (address[] memory);
}
