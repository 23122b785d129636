// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization} from "../../src/PaymentTypes.sol";
import {DirectFixture} from "../DirectFixture.sol";
import {HonestWallet} from "../mocks/Wallets.sol";

/// @dev Everything that payers, relayers, attackers, front-runners and the token's issuer can do with direct payments, in
/// any order. Keeps its own books: what each account must have after the authorizations that the token calls used.
contract DirectWorld is DirectFixture {
    struct Signed {
        Authorization authorization;
        uint256 key;
        address wallet;
        bool booked;
    }

    uint256 private constant PAYERS = 4;
    address[PAYERS] private _payers;
    address private _contractWallet;
    address[] private _wallets;
    Signed[] private _past;
    /// @dev Indexes of what was handed in by the call that is being observed.
    uint256[] private _touched;
    address[] private _accounts;
    mapping(address account => uint256) private _expected;

    uint256 public calls;
    /// @dev What reached the batch contract without it, which nobody can prevent.
    uint256 public bare;
    uint256 public paid;

    constructor() {
        setUp();
        for (uint256 i; i < PAYERS; ++i) {
            _payers[i] = vm.addr(11 + i);
            _fund(_payers[i]);
        }
        _contractWallet = address(new HonestWallet(_payers[0]));
        _fund(_contractWallet);
        _wallets = [merchant, partner, affiliate];
        _accounts = [merchant, partner, affiliate, stranger, operator, address(processor), address(direct)];
        _accounts.push(_contractWallet);
        for (uint256 i; i < PAYERS; ++i) {
            _accounts.push(_payers[i]);
        }
    }

    modifier observed() {
        ++calls;
        delete _touched;
        _;
        _bookUses();
    }

    /// @dev Some items are forged, redirected, replayed, out of their window, or have bytes changed.
    function settle(uint256 seed, uint32 callGas) external observed {
        bytes memory groups;
        for (uint256 g; g < 2; ++g) {
            bytes memory items;
            address wallet = _wallets[uint256(keccak256(abi.encode(seed, g))) % _wallets.length];
            for (uint256 i; i < 2; ++i) {
                items = abi.encodePacked(items, _anyItem(uint256(keccak256(abi.encode(seed, g, i))), wallet));
            }
            if (seed % 11 == g) wallet = stranger;
            if (seed % 13 == g) wallet = address(direct);
            groups = abi.encodePacked(groups, _head(wallet, uint64(seed), 2), items);
        }
        if (seed % 5 == 0) groups[(seed >> 16) % groups.length] ^= bytes1(uint8(seed >> 8));
        vm.prank(seed % 2 == 0 ? operator : stranger);
        try direct.settle{gas: 6_000_000}(address(token), seed % 7 == 0 ? callGas : CALL_GAS, groups) {} catch {}
    }

    function _anyItem(uint256 seed, address wallet) private returns (bytes memory) {
        uint256 trick = seed % 9;
        uint256 which = trick == 0 && _past.length != 0 ? seed % _past.length : _sign(seed, wallet);
        _touched.push(which);
        Signed memory x = _past[which];
        uint256 key = trick == 1 ? 99 : x.key;
        if (x.authorization.from == _contractWallet || trick == 2) {
            return _walletItem(x.authorization, uint64(seed), _signature(key, x.authorization, x.wallet));
        }
        return _compact(key, x.authorization, _digest(x.authorization, x.wallet), uint64(seed));
    }

    function _sign(uint256 seed, address wallet) private returns (uint256 which) {
        Signed memory x;
        uint256 who = (seed >> 8) % (PAYERS + 1);
        x.key = who == PAYERS ? 11 : 11 + who;
        x.wallet = seed % 9 == 3 ? address(direct) : wallet;
        x.authorization = _authorization(who == PAYERS ? _contractWallet : _payers[who], 1 + (seed >> 16) % 1e8);
        if (seed % 9 == 4) x.authorization.validAfter = block.timestamp + 100;
        if (seed % 9 == 5) x.authorization.validBefore = block.timestamp - 1;
        _past.push(x);
        return _past.length - 1;
    }

    /// @dev A stranger hands a signature to the token without us.
    function submitDirectly(uint256 which) external observed {
        if (_past.length == 0) return;
        which = which % _past.length;
        _touched.push(which);
        Signed memory x = _past[which];
        uint256 before = token.balanceOf(address(direct));
        try this.submit(x.authorization, _signature(x.key, x.authorization, x.wallet), x.wallet) {} catch {}
        bare += token.balanceOf(address(direct)) - before;
    }

    function submit(Authorization calldata a, bytes calldata signature, address wallet) external {
        _submitDirectly(a, signature, wallet);
    }

    function sendBare(uint256 who, uint256 amount) external {
        amount = _bound(amount, 1, 1e6);
        vm.prank(_payers[who % PAYERS]);
        try token.transfer(address(direct), amount) {
            bare += amount;
            _expected[_payers[who % PAYERS]] -= amount;
            _expected[address(direct)] += amount;
        } catch {}
    }

    /// @dev An allowance for the batch contract, in vain: nothing calls `transferFrom`.
    function allow(uint256 who) external observed {
        vm.prank(_payers[who % PAYERS]);
        try token.approve(address(direct), type(uint256).max) {} catch {}
    }

    /// @dev Calls of the contract with any bytes at all, for any target.
    function callAnything(bytes calldata data, uint256 seed) external observed {
        address[3] memory targets = [address(token), address(direct), address(processor)];
        vm.startPrank(operator);
        (bool done,) = address(direct).call{gas: 3_000_000}(data);
        (done,) = address(direct).call{gas: 3_000_000}(
            abi.encodeCall(direct.settle, (targets[seed % 3], uint32(seed >> 8) % 300_000, data))
        );
        vm.stopPrank();
    }

    function block_(uint256 who) external observed {
        address account = who % 5 == 4 ? merchant : _payers[who % PAYERS];
        token.setBlacklisted(account, !token.isBlacklisted(account));
    }

    function pause(uint256 on) external observed {
        token.setPaused(on % 4 == 0);
    }

    function wait(uint256 time) external observed {
        vm.warp(block.timestamp + _bound(time, 1, 400));
    }

    function heldByBatch() external view returns (uint256) {
        return token.balanceOf(address(direct));
    }

    /// @dev Accounts that have other money than the used authorizations say.
    function wrongBalances() external view returns (uint256 count) {
        for (uint256 i; i < _accounts.length; ++i) {
            if (token.balanceOf(_accounts[i]) != _expected[_accounts[i]]) ++count;
        }
    }

    function _fund(address account) private {
        token.mint(account, 1e12);
        _expected[account] += 1e12;
    }

    function _bookUses() private {
        for (uint256 i; i < _touched.length; ++i) {
            Signed storage x = _past[_touched[i]];
            Authorization memory a = x.authorization;
            if (x.booked || !token.authorizationState(a.from, a.nonce)) continue;
            x.booked = true;
            _expected[a.from] -= a.value;
            _expected[x.wallet] += a.value;
            paid += a.value;
        }
    }
}
