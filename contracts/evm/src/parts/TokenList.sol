// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TokenConfig} from "../PaymentTypes.sol";
import {Roles} from "./Roles.sol";

/// @dev The tokens that may be paid with. List only plain ERC-20 tokens: no transfer fee, no rebasing, no hooks.
abstract contract TokenList is Roles {
    uint256 public constant MIN_CALL_GAS = 60_000;
    uint256 public constant MAX_CALL_GAS = 1_000_000;

    mapping(address token => TokenConfig) private _configs;

    function configureToken(address token, TokenConfig calldata config) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (token.code.length == 0) revert TokenWithoutCode(token);
        if (config.callGas < MIN_CALL_GAS || config.callGas > MAX_CALL_GAS) {
            revert CallGasOutOfRange(config.callGas, MIN_CALL_GAS, MAX_CALL_GAS);
        }
        _configs[token] = config;
        emit TokenConfigured(token, config);
    }

    function tokenConfig(address token) external view returns (TokenConfig memory) {
        return _configs[token];
    }

    /// @dev For new money: the token must be switched on.
    function _enabledToken(address token) internal view returns (TokenConfig memory config) {
        config = _configs[token];
        if (!config.enabled) revert TokenNotEnabled(token);
    }

    /// @dev For money that is already here: a token that was switched off can still be completed or returned.
    function _knownToken(address token) internal view returns (TokenConfig memory config) {
        config = _configs[token];
        if (config.callGas == 0) revert TokenNotEnabled(token);
    }
}
