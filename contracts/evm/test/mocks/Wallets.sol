// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice A contract wallet of one key. It takes signatures of 65 bytes, or longer ones that start with them.
contract HonestWallet is IERC1271 {
    address private immutable _owner;

    constructor(address owner) {
        _owner = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view virtual returns (bytes4) {
        (address signer,,) = ECDSA.tryRecover(hash, signature[0:65]);
        return signer == _owner ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

/// @notice Burns whatever gas it is given.
contract GasBurningWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) {}
        return 0;
    }
}

/// @notice Answers with a megabyte, to make the caller pay for copying it.
contract ReturnBombWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        assembly {
            revert(0, 100000)
        }
    }
}
