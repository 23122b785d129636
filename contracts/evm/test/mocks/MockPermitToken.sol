// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ShortString, ShortStrings} from "@openzeppelin/contracts/utils/ShortStrings.sol";

/// @notice An ordinary token with EIP-2612 and without EIP-3009. Everything it was made with is in its code, none of it
/// in its storage, so that a test chain may copy the code to another address. Anyone may mint: for test chains only.
contract MockPermitToken is ERC20Permit {
    using ShortStrings for ShortString;

    ShortString private immutable _name;
    ShortString private immutable _symbol;
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20("", "") ERC20Permit(name_) {
        _name = ShortStrings.toShortString(name_);
        _symbol = ShortStrings.toShortString(symbol_);
        _decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function name() public view override returns (string memory) {
        return _name.toString();
    }

    function symbol() public view override returns (string memory) {
        return _symbol.toString();
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }
}
