// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Roles} from "./Roles.sol";

/// @dev One bit per intent code: an intent settles once, ever. Codes count upwards, so 256 of them share a slot.
abstract contract IntentBitmap is Roles {
    mapping(uint256 word => uint256 bits) private _words;

    function isSettled(uint64 intentCode) public view returns (bool) {
        return _words[intentCode >> 8] & (1 << (intentCode & 0xff)) != 0;
    }

    function _markSettled(uint64 intentCode) internal {
        _words[intentCode >> 8] |= 1 << (intentCode & 0xff);
    }

    function _requireUnsettled(uint64 intentCode) internal view {
        if (isSettled(intentCode)) revert IntentAlreadySettled(intentCode);
    }
}
